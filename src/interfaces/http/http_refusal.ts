import type { ErrorKind } from "#kernel/errors.ts";

/** A refusal of an HTTP request with its status: for its method, its media type, or a body that is too large. */
export class HttpRefusal extends Error {
  readonly status: 400 | 405 | 406 | 413 | 415;
  readonly code: ErrorKind | "unimplemented";
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: HttpRefusal["status"],
    code: HttpRefusal["code"],
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}
