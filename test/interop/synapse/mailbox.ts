import { simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";
import { waitFor } from "../../support/wait-for.mjs";

export interface Mail {
  readonly to: string;
  readonly text: string;
}

/** Receives a homeserver's emails. */
export interface Mailbox {
  readonly port: number;
  /** The number of emails to an address. */
  count(address: string): number;
  /** Waits for an email to an address. @returns The link in the last one. */
  linkFor(address: string): Promise<string>;
  close(): Promise<void>;
}

export async function startMailbox(): Promise<Mailbox> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    onData(stream, { envelope }, done) {
      simpleParser(stream).then(({ text = "" }) => {
        mails.push(...envelope.rcptTo.map(({ address }) => ({ to: address, text })));
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.server.address();
  if (typeof address !== "object" || !address) throw new Error("No port");

  const sentTo = (to: string): readonly Mail[] => mails.filter((mail) => mail.to === to);
  return {
    port: address.port,
    count: (to) => sentTo(to).length,
    linkFor: (to) =>
      waitFor(
        `No email with a link arrived for ${to}`,
        () => /http:\/\/localhost:\S+/.exec(sentTo(to).at(-1)?.text ?? "")?.[0],
      ),
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
