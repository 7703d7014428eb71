import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { KEY_HEADER } from "#planner/board/wire.ts";

/** Why a request is refused, with the HTTP status. */
export interface AccessRefusal {
  readonly status: 403;
  readonly message: string;
}

const SECRET_BYTES = 32;

/**
 * Who may use the board: the browser in which the printed address was opened first.
 *
 * The address carries a secret that is good for one request. In exchange the browser gets a cookie and, in the
 * fragment of the next address, a key that the page keeps for its own origin and sends as a header. Both are required:
 * a cookie alone reaches every program that listens on another port of this host. Each server has new ones, so nothing
 * of an earlier server is valid.
 */
export class BoardAccess {
  readonly #opening = secret();
  readonly #cookie = secret();
  readonly #key = secret();
  #isOpened = false;
  #port = 0;

  /** Notes the port, which is known once the server listens. */
  listensOn(port: number): void {
    this.#port = port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The address to open, with the secret. */
  get address(): string {
    return `${this.origin}/?open=${this.#opening}`;
  }

  /** Refuses another Host (a name that was rebound to this machine) and a page of another origin. */
  refuseForeign(headers: Headers, isSafe: boolean): AccessRefusal | undefined {
    if (headers.get("host") !== `127.0.0.1:${this.#port}`) {
      return refusal(`Host is not allowed: expected 127.0.0.1:${this.#port}`);
    }
    const origin = headers.get("origin");
    const site = headers.get("sec-fetch-site");
    const isForeign = origin !== null ? origin !== this.origin : site !== null && !OWN_SITES.includes(site);
    // A link in another page may lead to the page itself, which holds no data.
    return isForeign && !isSafe ? refusal("A page of another site may not use the board") : undefined;
  }

  /** Exchanges the secret of the address; undefined for a wrong or used one. */
  open(given: string): { readonly location: string; readonly cookie: string } | undefined {
    if (this.#isOpened || !isSame(given, this.#opening)) return undefined;
    this.#isOpened = true;
    return {
      location: `/#key=${this.#key}`,
      cookie: `${this.#cookieName}=${this.#cookie}; Path=/; HttpOnly; SameSite=Strict`,
    };
  }

  /** Whether the cookie belongs to this server's browser. */
  hasCookie(headers: Headers): boolean {
    const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
    const start = `${this.#cookieName}=`;
    return pairs.some((pair) => pair.startsWith(start) && isSame(pair.slice(start.length), this.#cookie));
  }

  /** Refuses a request for data without the cookie and the key. */
  refuseStranger(headers: Headers): AccessRefusal | undefined {
    if (this.hasCookie(headers) && isSame(headers.get(KEY_HEADER) ?? "", this.#key)) return undefined;
    return refusal('This page does not belong to the running board: open the address that "planner board" prints');
  }

  /** The port is part of the name, since cookies of all ports of a host share one jar. */
  get #cookieName(): string {
    return `planner_board_${this.#port}`;
  }
}

/** What a browser says of requests that no other site caused. */
const OWN_SITES: readonly string[] = ["same-origin", "none"];

function secret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Compares in a time that does not depend on the texts. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

function refusal(message: string): AccessRefusal {
  return { status: 403, message };
}
