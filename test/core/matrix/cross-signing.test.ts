import { getPublicKeyAsync, signAsync } from "@noble/ed25519";
import { expect } from "@open-wc/testing";
import {
  CrossSigningUploadError,
  HomeserverClient,
  type CrossSigningKey,
  type HomeserverClientOptions,
  type UIAuthCallback,
  type MatrixError,
} from "matrix-auth-elements/core";
import { everyTextIn, rejectionOf } from "../../support/rejection.ts";
import {
  held,
  html,
  inSequence,
  json,
  networkFailure,
  never,
  ScriptedFetch,
  truncatedJson,
  type Responder,
} from "../../support/scripted-fetch.ts";
import { restoreStubs, stub } from "../../support/stub.ts";
import { HOMESERVER } from "../login.ts";

const API = `${HOMESERVER}/_matrix/client`;
const UPLOAD = `POST ${API}/v3/keys/device_signing/upload`;
const QUERY = `POST ${API}/v3/keys/query`;
const SIGNATURES = `POST ${API}/v3/keys/signatures/upload`;
const WHOAMI = `GET ${API}/v3/account/whoami`;
const CANCELLED = new Error("cancelled");
const USER = "@älice:example.org";
const DEVICE = "DEVICE1234";

/** The device's private key, and the public key that the app has. */
const SEED = new Uint8Array(32).fill(7);
const ED25519 = "6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw";
const MALLORYS_SEED = new Uint8Array(32).fill(8);
const MALLORYS = "E5j2LG0aRXxRumpLXz29L2n8qTIWIY3ImX5Ba9F9k8o";
const ownDeviceKeys = { ed25519: ED25519, curve25519: "Y3Vy" };

/** Keys with names whose order by code units is wrong, and with every kind of character. */
const unsignedKeys = {
  user_id: USER,
  device_id: DEVICE,
  algorithms: ["m.olm.v1.curve25519-aes-sha2", "m.megolm.v1.aes-sha2"],
  keys: { [`ed25519:${DEVICE}`]: ED25519, [`curve25519:${DEVICE}`]: "Y3Vy" },
  "\u{1F511}": 'a "quoted"\n\u0001\u007f/é',
  "\uFB01": [1, -2, true, null, {}],
  "": {},
  keys2: { b: 1, a: 0 },
};

const CANONICAL_DEVICE =
  `{"":{},"algorithms":["m.olm.v1.curve25519-aes-sha2","m.megolm.v1.aes-sha2"],` +
  `"device_id":"${DEVICE}","keys":{"curve25519:${DEVICE}":"Y3Vy","ed25519:${DEVICE}":"${ED25519}"},` +
  `"keys2":{"a":0,"b":1},"user_id":"${USER}",` +
  `"\uFB01":[1,-2,true,null,{}],"\u{1F511}":"a \\"quoted\\"\\n\\u0001\u007f/é"}`;

const bytes = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

const unpadded = (text: string, length: number): void => {
  expect(text).to.match(/^[A-Za-z0-9+/]+$/);
  expect(bytes(text)).to.have.lengthOf(length);
};

async function verify(publicKey: string, signature: string, message: string): Promise<boolean> {
  const key = await crypto.subtle.importKey("raw", bytes(publicKey), "Ed25519", true, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, bytes(signature), new TextEncoder().encode(message));
}

/** The public key of a seed, by WebCrypto. */
async function publicKeyOf(seed: string): Promise<string> {
  const raw = bytes(seed);
  // WebKitGTK cannot import a seed that starts with a zero byte, like one in 256.
  if (raw[0] === 0) return unpaddedBase64(await getPublicKeyAsync(raw));
  const pkcs8 = [...bytes("MC4CAQAwBQYDK2VwBCIEIA=="), ...raw];
  const key = await crypto.subtle.importKey("pkcs8", new Uint8Array(pkcs8), "Ed25519", true, [
    "sign",
  ]);
  const { x = "" } = await crypto.subtle.exportKey("jwk", key);
  return x.replaceAll("-", "+").replaceAll("_", "/");
}

const unpaddedBase64 = (data: Uint8Array): string =>
  btoa(String.fromCharCode(...data)).replace(/=+$/, "");

/** The device's keys with the device's signature, as it has published them. */
const signatureOf = async (seed: Uint8Array, message: string): Promise<string> =>
  unpaddedBase64(await signAsync(new TextEncoder().encode(message), seed));
const deviceKeys = {
  ...unsignedKeys,
  signatures: { [USER]: { [`ed25519:${DEVICE}`]: await signatureOf(SEED, CANONICAL_DEVICE) } },
  unsigned: { device_display_name: "Phone" },
};

/** A hostile homeserver's replacement, with a valid signature by another key. */
const inventedKeys = {
  ...unsignedKeys,
  keys: { ...unsignedKeys.keys, [`ed25519:${DEVICE}`]: MALLORYS },
  signatures: {
    [USER]: {
      [`ed25519:${DEVICE}`]: await signatureOf(
        MALLORYS_SEED,
        CANONICAL_DEVICE.replace(ED25519, MALLORYS),
      ),
    },
  },
};

describe("bootstrapCrossSigning", () => {
  let server: ScriptedFetch;
  const client = (options: Partial<HomeserverClientOptions> = {}) =>
    new HomeserverClient({
      baseUrl: HOMESERVER,
      accessToken: "secret-access-token",
      userId: USER,
      deviceId: DEVICE,
      fetch: server.fetch,
      ...options,
    });
  const bodyOf = (route: string): Record<string, unknown> => {
    const request = server.requests.find(({ method, url }) => `${method} ${url}` === route);
    return JSON.parse(request?.body ?? "null") as Record<string, unknown>;
  };

  beforeEach(() => {
    server = new ScriptedFetch({
      [UPLOAD]: json({}),
      [QUERY]: json({ device_keys: { [USER]: { [DEVICE]: deviceKeys } } }),
      [SIGNATURES]: json({ failures: {} }),
    });
  });
  afterEach(restoreStubs);

  const withoutEd25519 = (): void => {
    for (const call of ["generateKey", "importKey"]) {
      stub(crypto.subtle, call, {
        value: () => Promise.reject(new DOMException("Unrecognized name.", "NotSupportedError")),
      });
    }
  };

  for (const [what, prepare] of [
    ["with WebCrypto's Ed25519", () => undefined],
    ["without WebCrypto's Ed25519", withoutEd25519],
    [
      "when a key cannot be exported",
      () => stub(crypto.subtle, "exportKey", { value: () => Promise.resolve({ kty: "OKP" }) }),
    ],
  ] as const) {
    it(`publishes three keys, two of them signed by the first, ${what}`, async () => {
      prepare();
      const { keys, masterKey, selfSigningKey, userSigningKey } =
        await client().bootstrapCrossSigning();
      restoreStubs();

      expect(bodyOf(UPLOAD)).to.deep.equal(keys);
      const [master] = Object.values(keys.master_key.keys);
      if (!master) throw new Error("no master key");
      for (const [key, usage, seed] of [
        [keys.master_key, "master", masterKey],
        [keys.self_signing_key, "self_signing", selfSigningKey],
        [keys.user_signing_key, "user_signing", userSigningKey],
      ] as const) {
        unpadded(seed, 32);
        const own = await publicKeyOf(seed);
        unpadded(own, 32);
        expect(key).to.deep.include({
          user_id: USER,
          usage: [usage],
          keys: { [`ed25519:${own}`]: own },
        });
        if (usage === "master") {
          expect(key).not.to.have.property("signatures");
          continue;
        }
        expect(Object.keys(key.signatures ?? {})).to.deep.equal([USER]);
        const [signature = "", ...more] = Object.values(key.signatures?.[USER] ?? {});
        expect(Object.keys(key.signatures?.[USER] ?? {})).to.deep.equal([`ed25519:${master}`]);
        expect(more).to.deep.equal([]);
        unpadded(signature, 64);
        const message = `{"keys":{"ed25519:${own}":"${own}"},"usage":["${usage}"],"user_id":"${USER}"}`;
        expect(await verify(master, signature, message)).to.be.true;
      }
      expect(new Set([masterKey, selfSigningKey, userSigningKey])).to.have.property("size", 3);
    });

    it(`signs the device with the self-signing key ${what}`, async () => {
      prepare();
      const { keys, selfSigningKey, deviceSigned } = await client().bootstrapCrossSigning({
        ownDeviceKeys,
      });
      restoreStubs();

      expect(deviceSigned).to.be.true;
      expect(server.log).to.deep.equal([UPLOAD, QUERY, SIGNATURES]);
      expect(bodyOf(QUERY)).to.deep.equal({ device_keys: { [USER]: [DEVICE] } });
      const own = await publicKeyOf(selfSigningKey);
      expect(keys.self_signing_key.keys).to.have.property(`ed25519:${own}`);
      const sent = bodyOf(SIGNATURES) as Record<string, Record<string, CrossSigningKey>>;
      expect(Object.keys(sent)).to.deep.equal([USER]);
      const device = sent[USER]?.[DEVICE];
      const { signatures, ...rest } = device ?? {};
      expect(rest).to.deep.equal({ ...unsignedKeys, unsigned: deviceKeys.unsigned });
      expect(Object.keys(signatures?.[USER] ?? {})).to.deep.equal([`ed25519:${own}`]);
      const signature = signatures?.[USER]?.[`ed25519:${own}`] ?? "";
      expect(await verify(own, signature, CANONICAL_DEVICE)).to.be.true;
    });
  }

  it("generates different keys each time", async () => {
    const first = await client().bootstrapCrossSigning();
    const second = await client().bootstrapCrossSigning();

    expect(second.masterKey).not.to.equal(first.masterKey);
  });

  it("sends the same keys again with auth from authUploadDeviceSigningKeys", async () => {
    const flows = [{ stages: ["m.oauth"] }];
    server.routes[UPLOAD] = inSequence(json({ session: "xyz", flows }, 401), json({}));

    const { keys } = await client().bootstrapCrossSigning({
      authUploadDeviceSigningKeys: async (makeRequest) => {
        const error = await rejectionOf(makeRequest(null));
        expect((error as MatrixError).data["flows"]).to.deep.equal(flows);
        await makeRequest({ session: "xyz" });
      },
    });

    const uploads = server.to(`${API}/v3/keys/device_signing/upload`);
    expect(uploads.map(({ body }) => JSON.parse(body) as unknown)).to.deep.equal([
      keys,
      { ...keys, auth: { session: "xyz" } },
    ]);
  });

  for (const [when, route, authUploadDeviceSigningKeys, log] of [
    ["before an upload", json({}), () => Promise.reject(CANCELLED), []],
    [
      "during an upload that the homeserver then rejects",
      json({ errcode: "M_FORBIDDEN" }, 403),
      async (makeRequest) => {
        makeRequest(null).catch(() => undefined);
        await Promise.reject(CANCELLED);
      },
      [UPLOAD],
    ],
  ] as readonly (readonly [string, Responder, UIAuthCallback<void>, readonly string[]])[]) {
    it(`rejects with the error of authUploadDeviceSigningKeys ${when}`, async () => {
      server.routes[UPLOAD] = route;

      const error = await rejectionOf(
        client().bootstrapCrossSigning({ ownDeviceKeys, authUploadDeviceSigningKeys }),
      );

      expect(error).to.equal(CANCELLED);
      expect(server.log).to.deep.equal(log);
    });
  }

  it("returns the keys when authUploadDeviceSigningKeys rejects after an upload", async () => {
    const { keys } = await client().bootstrapCrossSigning({
      authUploadDeviceSigningKeys: async (makeRequest) => {
        await makeRequest(null);
        throw CANCELLED;
      },
    });

    expect(keys).to.deep.equal(bodyOf(UPLOAD));
  });

  it("returns the keys when authUploadDeviceSigningKeys rejects during an upload", async () => {
    const upload = held(json({}));
    server.routes[UPLOAD] = upload.respond;
    const { keys } = await client().bootstrapCrossSigning({
      authUploadDeviceSigningKeys: async (makeRequest) => {
        void makeRequest(null);
        await upload.asked;
        setTimeout(upload.release);
        throw CANCELLED;
      },
    });

    expect(keys).to.deep.equal(bodyOf(UPLOAD));
  });

  for (const [what, lost] of [
    ["lost", networkFailure],
    ["truncated", truncatedJson({})],
    ["a gateway's timeout", html(504)],
    ["a request timeout", html(408)],
  ] as const) {
    it(`offers the same keys again if the response to their upload is ${what}`, async () => {
      server.routes[UPLOAD] = inSequence(lost, json({}));

      const { keys } = await client().bootstrapCrossSigning();

      const uploads = server.to(`${API}/v3/keys/device_signing/upload`);
      expect(uploads.map(({ body }) => JSON.parse(body) as unknown)).to.deep.equal([keys, keys]);
    });

    it(`rejects with the keys if the response is ${what} and the homeserver then requires a stage`, async () => {
      server.routes[UPLOAD] = inSequence(lost, json({ session: "x", flows: [] }, 401));

      const error = (await rejectionOf(
        client().bootstrapCrossSigning(),
      )) as CrossSigningUploadError;

      expect(error).to.be.instanceOf(CrossSigningUploadError);
      const { masterKey, selfSigningKey, userSigningKey, keys } = error.newKeys;
      expect(keys).to.deep.equal(bodyOf(UPLOAD));
      expect(keys.master_key.keys).to.have.property(`ed25519:${await publicKeyOf(masterKey)}`);
      for (const seed of [masterKey, selfSigningKey, userSigningKey]) unpadded(seed, 32);
      expect(JSON.stringify([error, { ...error }, error.message])).not.to.contain(masterKey);
    });
  }

  it("rejects with the keys, and no longer offers them, if the user cancels after a lost response", async () => {
    server.routes[UPLOAD] = networkFailure;

    const error = await rejectionOf(
      client().bootstrapCrossSigning({
        authUploadDeviceSigningKeys: async (makeRequest) => {
          await rejectionOf(makeRequest(null));
          throw CANCELLED;
        },
      }),
    );

    expect(error).to.be.instanceOf(CrossSigningUploadError).and.include({ cause: CANCELLED });
    expect(server.log).to.deep.equal([UPLOAD]);
  });

  it("rejects without keys after a rate limit, because no response was lost", async () => {
    server.routes[UPLOAD] = html(429);

    const error = await rejectionOf(client().bootstrapCrossSigning());

    expect(error).to.include({ name: "MatrixError", httpStatus: 429 });
    expect(server.log).to.deep.equal([UPLOAD]);
  });

  it("rejects with the 401 when authUploadDeviceSigningKeys is not given", async () => {
    server.routes[UPLOAD] = json({ flows: [{ stages: ["m.login.password"] }] }, 401);

    const error = await rejectionOf(client().bootstrapCrossSigning({ ownDeviceKeys }));

    expect(error).to.include({ name: "MatrixError", httpStatus: 401 });
    expect(server.log).to.deep.equal([UPLOAD]);
  });

  it("rejects when authUploadDeviceSigningKeys resolves without having uploaded the keys", async () => {
    const error = await rejectionOf(
      client().bootstrapCrossSigning({ authUploadDeviceSigningKeys: () => Promise.resolve() }),
    );

    expect(everyTextIn(error)).to.contain("without an upload");
  });

  it("requests the user and the device of the token when they are not given", async () => {
    server.routes[WHOAMI] = json({ user_id: USER, device_id: DEVICE });
    const { keys, deviceSigned } = await client({
      userId: undefined,
      deviceId: undefined,
    }).bootstrapCrossSigning({ ownDeviceKeys });

    expect(keys.master_key.user_id).to.equal(USER);
    expect(deviceSigned).to.be.true;
    expect(server.log).to.deep.equal([WHOAMI, UPLOAD, QUERY, SIGNATURES]);
  });

  it("requests neither when the session knows them", async () => {
    const user = { userId: USER, deviceId: DEVICE };
    const { keys, deviceSigned } = await client({
      userId: undefined,
      deviceId: undefined,
      session: { accessToken: async () => "token", user },
    }).bootstrapCrossSigning({ ownDeviceKeys });

    expect(keys.master_key.user_id).to.equal(USER);
    expect(deviceSigned).to.be.true;
    expect(server.log).to.deep.equal([UPLOAD, QUERY, SIGNATURES]);
  });

  for (const [what, clientOptions, options] of [
    ["the device is unknown", { deviceId: undefined }, { ownDeviceKeys }],
    ["only the homeserver has the device's keys", {}, {}],
  ] as const) {
    it(`signs no device when ${what}`, async () => {
      const { deviceSigned } = await client(clientOptions).bootstrapCrossSigning(options);

      expect(deviceSigned).to.be.false;
      expect(server.log).to.deep.equal([UPLOAD]);
    });
  }

  const respondWith = (device: unknown): Responder =>
    json({ device_keys: { [USER]: { [DEVICE]: device } } });
  const unsigned: readonly (readonly [string, Responder])[] = [
    ["the device has no keys", json({ device_keys: {} })],
    ["the user has no devices", json({ device_keys: { [USER]: {} } })],
    ["the response has no keys", json({})],
    ["the keys are a string", respondWith("keys")],
    [
      "the keys are another user's",
      respondWith({ ...deviceKeys, user_id: "@mallory:example.org" }),
    ],
    ["the keys are another device's", respondWith({ ...deviceKeys, device_id: "OTHER" })],
    ["the homeserver has replaced the key with its own", respondWith(inventedKeys)],
    [
      "the homeserver has added another key to the device's keys",
      respondWith({
        ...deviceKeys,
        keys: { ...deviceKeys.keys, [`curve25519:${DEVICE}`]: "TWFsbG9yeQ" },
      }),
    ],
    ["the device has not signed its keys", respondWith(unsignedKeys)],
    [
      "the device's signature is invalid",
      respondWith({ ...unsignedKeys, signatures: { [USER]: { [`ed25519:${DEVICE}`]: "%" } } }),
    ],
    [
      "the device's signature is a number",
      respondWith({ ...unsignedKeys, signatures: { [USER]: { [`ed25519:${DEVICE}`]: 1 } } }),
    ],
    ["the device has no key to sign with", respondWith({ ...deviceKeys, keys: {} })],
    [
      "the keys are under another user's name",
      json({ device_keys: { "@m:e": { [DEVICE]: deviceKeys } } }),
    ],
    [
      "the keys have a number that canonical JSON does not allow",
      respondWith({ ...deviceKeys, size: 1.5 }),
    ],
    [
      "the device has more than 65,536 characters, which would have to be sorted",
      respondWith({ ...deviceKeys, unsigned: { padding: "x".repeat(1 << 16) } }),
    ],
    ["the homeserver rejects the query", json({ errcode: "M_FORBIDDEN" }, 403)],
    ["the response is HTML", html()],
    ["no response arrives", networkFailure],
  ];
  for (const [what, respond] of unsigned) {
    it(`returns the keys and signs no device when ${what}`, async () => {
      server.routes[QUERY] = respond;

      const { masterKey, deviceSigned } = await client().bootstrapCrossSigning({ ownDeviceKeys });

      unpadded(masterKey, 32);
      expect(deviceSigned).to.be.false;
      expect(server.log).to.deep.equal([UPLOAD, QUERY]);
    });
  }

  for (const [what, respond] of [
    ["is refused", json({ errcode: "M_UNKNOWN" }, 400)],
    [
      "is reported as a failure",
      json({ failures: { [USER]: { [DEVICE]: { errcode: "M_INVALID_SIGNATURE" } } } }),
    ],
    ["gets no response", networkFailure],
  ] as const) {
    it(`returns the keys and deviceSigned false when the signature ${what}`, async () => {
      server.routes[SIGNATURES] = respond;

      const { keys, deviceSigned } = await client().bootstrapCrossSigning({ ownDeviceKeys });

      expect(keys).to.deep.equal(bodyOf(UPLOAD));
      expect(deviceSigned).to.be.false;
    });
  }

  it("returns the keys if it is aborted after they have been published", async () => {
    const controller = new AbortController();
    server.routes[QUERY] = (request) => {
      setTimeout(() => controller.abort());
      return never(request);
    };

    const { masterKey, deviceSigned } = await client().bootstrapCrossSigning(
      { ownDeviceKeys },
      { signal: controller.signal },
    );

    unpadded(masterKey, 32);
    expect(deviceSigned).to.be.false;
  });

  it("rejects with aborted and publishes nothing when it is already aborted", async () => {
    const error = await rejectionOf(
      client().bootstrapCrossSigning({}, { signal: AbortSignal.abort() }),
    );

    expect(error).to.include({ name: "RequestError", code: "aborted" });
    expect(server.log).to.deep.equal([]);
  });
});
