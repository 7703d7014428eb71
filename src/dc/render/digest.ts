import { createHash } from "node:crypto";

/** Returns the SHA-256 of bytes, or of a text in UTF-8. */
export function computeSha256(content: string | Uint8Array, encoding: "hex" | "base64"): string {
  return createHash("sha256").update(content).digest(encoding);
}
