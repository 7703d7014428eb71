import { createHash } from "node:crypto";
import { type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { Rpc } from "./operations/rpc.ts";

type Message = MessageShape<Rpc["method"]["input"]>;

/** Cache keys of requests, equal for equal requests. Keys of message objects that are used again are cached. */
export class RequestKeys {
  readonly #known = new WeakMap<Message, string>();

  of({ method }: Rpc, request: Message): string {
    const known = this.#known.get(request);
    if (known !== undefined) return known;
    const hash = createHash("sha256").update(toBinary(method.input, request)).digest("base64url");
    const key = `${method.name} ${hash}`;
    this.#known.set(request, key);
    return key;
  }
}
