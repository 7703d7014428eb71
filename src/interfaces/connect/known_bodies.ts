/** Largest cached body, in bytes. Ours: read requests are small. */
const MAX_BODY_BYTES = 1024;
/** Bodies in each of two halves; the older half is dropped at once. Ours: the requests of a few consoles. */
const MAX_BODIES = 200;

/**
 * Decoded messages by their bytes: consoles and agents repeat the same requests. Only for messages that
 * are never changed.
 */
export class KnownBodies<Message> {
  #young = new Map<string, Message>();
  #old = new Map<string, Message>();

  /** @throws the error of `read`, which is not cached */
  get(body: Uint8Array, read: () => Message): Message {
    if (body.length > MAX_BODY_BYTES) return read();
    const key = Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1");
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const message = this.#old.get(key) ?? read();
    if (this.#young.size >= MAX_BODIES) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, message);
    return message;
  }
}
