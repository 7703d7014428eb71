import type { ErrorKind } from "#kernel/errors.ts";

/** Refusal of an HTTP request, with the status, error code and headers of the response. */
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
