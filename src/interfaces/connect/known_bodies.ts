/** The largest body that is remembered, in bytes. Ours: questions are small. */
const MAX_BODY_BYTES = 1024;
/** How many bodies each of two halves remembers; the older half is forgotten at once. Ours: what a few consoles ask. */
const MAX_BODIES = 200;

/**
 * What bodies of one form mean, by their bytes: consoles and agents ask the same again and again. Only for messages that
 * are never changed.
 */
export class KnownBodies<Message> {
  #young = new Map<string, Message>();
  #old = new Map<string, Message>();

  /** @throws whatever `read` throws, which is not remembered */
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
