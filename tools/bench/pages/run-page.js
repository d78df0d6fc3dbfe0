// The interface of a page for its driver, `window.subject`:
//
// - `fromName(given)`: from the homeserver's name to an authorization URL, with registration
// - `fromIssuer(given)`: the same where the issuer and the client id are known
// - `complete(url, given)`: from the callback's address to tokens
// - `urlMaker(given)`: makes a function that makes authorization URLs, with the metadata at hand
// - `converse(ask)`: one conversation of User-Interactive Authentication
//
// A subject has those that its library can do.
import { over, refusing } from "./conversation.js";

/** A separate bundle of provider.js, because the downloads of the subject's page are measured too. */
const PROVIDER = "/bundle/provider/stdin.js";

/** Runs something over and over for a while. @returns How often a second. */
async function often(run, forMs) {
  let count = 0;
  const begin = performance.now();
  let now = begin;
  while (now - begin < forMs) {
    await run();
    count += 1;
    now = performance.now();
  }
  return (count * 1000) / (now - begin);
}

/** How a subject makes an authorization URL, if it has the functions of matrix-js-sdk 41. */
export const starter =
  (generateOidcAuthorizationUrl, secureRandomString) =>
  (metadata, clientId, { redirectUri, homeserverUrl }) => {
    const nonce = secureRandomString(32);
    const options = { metadata, clientId, homeserverUrl, redirectUri, nonce };
    return generateOidcAuthorizationUrl(options);
  };

const timed = async (run) => {
  const begin = performance.now();
  const result = await run();
  return { ms: performance.now() - begin, result };
};

export function runPage(subject) {
  /** Replaces the provider by one in this page. */
  async function inPage(given, algorithm = "RS256") {
    const { pretendProvider } = await import(PROVIDER);
    const provider = await pretendProvider(algorithm, given);
    const known = { ...given, metadata: provider.metadata };
    return { provider, known, make: subject.urlMaker(known) };
  }

  window.subject = {
    can: Object.keys(subject),
    fromName: (given) => timed(() => subject.fromName(given)),
    fromIssuer: (given) => timed(() => subject.fromIssuer(given)),
    async complete(given) {
      const { ms } = await timed(() => subject.complete(location.href, given));
      return { ms };
    },
    async converse({ homeserverUrl }) {
      const { ms } = await timed(() => subject.converse(over(homeserverUrl)));
      return { ms };
    },

    /** Authorization URLs a second, the provider in this page. */
    async urls(given, forMs) {
      const { make } = await inPage(given);
      return often(async () => {
        await make();
        // A person has one sign-in pending, not thousands.
        sessionStorage.clear();
      }, forMs);
    },
    /** Callbacks a second: the provider is in this page, the addresses and ID tokens are there before. */
    async callbacks(given, algorithm, count) {
      const { provider, make, known } = await inPage(given, algorithm);
      let ms = 0;
      // One after the other: auth0-spa-js supports one sign-in at a time.
      for (let nth = 0; nth < count; nth += 1) {
        const url = await provider.authorize(await make());
        ms += (await timed(() => subject.complete(url, known))).ms;
      }
      return (count * 1000) / ms;
    },
    /** Conversations a second, the homeserver in this page. */
    conversations: (forMs) => often(() => subject.converse(refusing()), forMs),
    /** So many conversations. */
    async converseOften(count) {
      for (let nth = 0; nth < count; nth += 1) await subject.converse(refusing());
    },
  };
}
