import { HomeserverClient, type MatrixSession } from "matrix-auth-elements/core";
import { attachSession } from "matrix-auth-elements/matrix-js-sdk";
import {
  ClientEvent,
  EventType,
  MatrixEventEvent,
  Preset,
  createClient,
  type MatrixClient,
  type Room,
} from "matrix-js-sdk";
import { CryptoEvent, type CryptoApi } from "matrix-js-sdk/lib/crypto-api/index.js";

const NAME = "Notes to myself";

/** The confirmation that the app requests in the dialog before new keys replace the user's. */
type Authenticate = Parameters<
  CryptoApi["bootstrapCrossSigning"]
>[0]["authUploadDeviceSigningKeys"];

/** A client with encryption and one private room. */
export class NotesClient {
  readonly matrixClient: MatrixClient;
  readonly #changed: () => void;

  /** @param changed Called when the notes change. */
  private constructor(matrixClient: MatrixClient, changed: () => void) {
    this.matrixClient = matrixClient;
    this.#changed = changed;
  }

  /** The client of a session. It stops when the session ends; after a soft logout its keys remain. */
  static async create(session: MatrixSession, changed: () => void): Promise<NotesClient> {
    const { homeserverUrl: baseUrl, user } = session;
    // The user ID needs no request, unless the user left the sign-in page before the homeserver responded.
    const userId =
      user.userId ?? (await new HomeserverClient({ baseUrl, session }).whoami()).user_id;
    const matrixClient = createClient({ baseUrl, userId, deviceId: user.deviceId });
    attachSession(matrixClient, session);
    session.addEventListener("session-ended", async ({ detail }) => {
      if (!detail.softLogout) {
        await matrixClient.clearStores();
        // matrix-js-sdk does not remove its entries with the user's ID.
        const names = Object.keys(localStorage).filter((name) => name.startsWith("mxjssdk_"));
        for (const name of names) localStorage.removeItem(name);
      }
      location.reload();
    });
    return new NotesClient(matrixClient, changed);
  }

  /** Resolves in one tab at a time, because two clients would corrupt the encryption's database. */
  async start(): Promise<void> {
    await new Promise<void>((proceed) => {
      void navigator.locks.request("matrix-js-sdk", () => new Promise(() => proceed()));
    });
    await this.matrixClient.initRustCrypto();
    this.matrixClient.on(ClientEvent.Sync, this.#changed);
    this.matrixClient.on(MatrixEventEvent.Decrypted, this.#changed);
    this.matrixClient.on(CryptoEvent.DevicesUpdated, this.#changed);
    await this.matrixClient.startClient();
  }

  get userId(): string {
    return this.matrixClient.getSafeUserId();
  }

  /** Whether the user's cross-signing key has signed this device, as other users see it. */
  async isSigned(): Promise<boolean> {
    const deviceId = this.matrixClient.getDeviceId() ?? "";
    const status = await this.#crypto.getDeviceVerificationStatus(this.userId, deviceId);
    return status?.signedByOwner === true;
  }

  /** Creates missing keys, and signs this device. */
  signDevice(authenticate: Authenticate): Promise<void> {
    return this.#crypto.bootstrapCrossSigning({ authUploadDeviceSigningKeys: authenticate });
  }

  /** Replaces the keys, which the homeserver requires the user to confirm. */
  replaceKeys(authenticate: Authenticate): Promise<void> {
    return this.#crypto.bootstrapCrossSigning({
      setupNewCrossSigning: true,
      authUploadDeviceSigningKeys: authenticate,
    });
  }

  get roomNames(): readonly string[] {
    return this.matrixClient.getRooms().map(({ name }) => name);
  }

  /** The user's notes, decrypted. */
  get notes(): readonly string[] {
    const events = this.#room?.getLiveTimeline().getEvents() ?? [];
    return events
      .filter((event) => event.isEncrypted() && event.getType() === EventType.RoomMessage)
      .map((event) => String(event.getContent()["body"]));
  }

  async write(text: string): Promise<void> {
    const room = this.#room ?? (await this.#createRoom());
    await this.matrixClient.sendTextMessage(room.roomId, text);
  }

  get #crypto(): CryptoApi {
    const crypto = this.matrixClient.getCrypto();
    if (!crypto) throw new Error("Its encryption has not been started");
    return crypto;
  }

  get #room(): Room | undefined {
    const isNotes = (room: Room): boolean =>
      room.name === NAME && room.hasEncryptionStateEvent() && room.getMyMembership() === "join";
    return this.matrixClient.getRooms().find(isNotes);
  }

  async #createRoom(): Promise<Room> {
    const content = { algorithm: "m.megolm.v1.aes-sha2" };
    await this.matrixClient.createRoom({
      name: NAME,
      preset: Preset.PrivateChat,
      initial_state: [{ type: EventType.RoomEncryption, state_key: "", content }],
    });
    // Before the sync returns the room, the client would not encrypt the note.
    for (;;) {
      const room = this.#room;
      if (room) return room;
      await new Promise((resolve) => this.matrixClient.once(ClientEvent.Sync, resolve));
    }
  }
}
