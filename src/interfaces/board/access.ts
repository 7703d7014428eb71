import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { BOARD_KEY_HEADER } from "#planner/board/wire.ts";

/** Reason for refusing a request, and the HTTP status of the reply. */
export interface AccessRefusal {
  readonly status: 403;
  readonly message: string;
}

const SECRET_BYTES = 32;

/**
 * Access control of the board: only the browser in which the printed address was first opened may use it.
 * The address contains a secret that is valid for one request. In exchange the browser gets a cookie and, in the
 * fragment of the next address, a key that the page stores for its origin and sends as a header. Both are required,
 * because browsers send a cookie to every port of this host. Each server creates new secrets, so those of an earlier
 * server are invalid.
 */
export class BoardAccess {
  readonly #opening = createSecret();
  readonly #cookie = createSecret();
  readonly #key = createSecret();
  #isOpened = false;
  #port = 0;

  /** Sets the port, which is known once the server listens. */
  setPort(port: number): void {
    this.#port = port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The address to open, including the secret. */
  get address(): string {
    return `${this.origin}/?open=${this.#opening}`;
  }

  /** Returns a refusal for another Host (DNS rebinding) or an unsafe request from a page of another origin. */
  refuseForeignPage(headers: Headers, isSafe: boolean): AccessRefusal | undefined {
    if (headers.get("host") !== `127.0.0.1:${this.#port}`) {
      return createAccessRefusal(`Host is not allowed: expected 127.0.0.1:${this.#port}`);
    }
    const origin = headers.get("origin");
    const site = headers.get("sec-fetch-site");
    const isForeign = origin !== null ? origin !== this.origin : site !== null && !OWN_SITE_VALUES.includes(site);
    // A link on another site may open the page itself, which contains no data.
    return isForeign && !isSafe ? createAccessRefusal("A page of another site may not use the board") : undefined;
  }

  /** Exchanges the secret of the address for a cookie; returns undefined for a wrong or used secret. */
  exchangeSecret(given: string): { readonly location: string; readonly cookie: string } | undefined {
    if (this.#isOpened || !isEqualInConstantTime(given, this.#opening)) return undefined;
    this.#isOpened = true;
    return {
      location: `/#key=${this.#key}`,
      cookie: `${this.#cookieName}=${this.#cookie}; Path=/; HttpOnly; SameSite=Strict`,
    };
  }

  /** Whether the request has the cookie of this server's browser. */
  hasCookie(headers: Headers): boolean {
    const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
    const start = `${this.#cookieName}=`;
    return pairs.some(
      (pair) => pair.startsWith(start) && isEqualInConstantTime(pair.slice(start.length), this.#cookie),
    );
  }

  /** Returns a refusal for a request that lacks the cookie or the key. */
  refuseUnauthenticated(headers: Headers): AccessRefusal | undefined {
    if (this.hasCookie(headers) && isEqualInConstantTime(headers.get(BOARD_KEY_HEADER) ?? "", this.#key))
      return undefined;
    return createAccessRefusal(
      'This page does not belong to the running board: open the address that "planner board" prints',
    );
  }

  /** Name of the cookie. It contains the port, because all ports of a host share their cookies. */
  get #cookieName(): string {
    return `planner_board_${this.#port}`;
  }
}

/** Values of `Sec-Fetch-Site` for requests that no other site caused. */
const OWN_SITE_VALUES: readonly string[] = ["same-origin", "none"];

function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Compares two texts in a time that does not depend on their content. */
function isEqualInConstantTime(given: string, expected: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

function createAccessRefusal(message: string): AccessRefusal {
  return { status: 403, message };
}
