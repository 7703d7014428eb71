import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Forms that CockroachDB refuses or does not keep to. Source: CockroachDB, SQL feature support, PostgreSQL compatibility. */
const REFUSED: readonly (readonly [form: RegExp, why: string])[] = [
  [/\bLOCK\s+TABLE\b/i, "LOCK TABLE"],
  [/\bCOLLATE\b/i, "a collation of a column"],
  [/\badvisory_/i, "advisory locks"],
  [/\b(?:LISTEN|NOTIFY)\b/i, "LISTEN and NOTIFY"],
  [/\b(?:ctid|xmin|xmax)\b/i, "system columns"],
  [/\bCREATE\s+(?:TRIGGER|EXTENSION|DOMAIN|RULE)\b/i, "triggers, extensions, domains and rules"],
  [/\bTRUNCATE\b.*\bCASCADE\b/is, "TRUNCATE CASCADE"],
  [/\bjsonb_path_/i, "SQL/JSON path functions"],
];
/** How a transaction that writes begins: with a change of a row that all of them change, before anything is read. */
const WRITE = /^BEGIN\b.*\bREAD WRITE\b/i;
const QUEUED_WRITE = /^BEGIN [^;]*(?:; SET LOCAL [^;]*)*; UPDATE setting SET [^;]* RETURNING [^;]*$/i;
const SCHEMA_CHANGE = /^\s*(?:CREATE|ALTER|DROP)\b/i;
const SSL_REQUEST = 80_877_103;

/**
 * A server that PostgreSQL answers behind, but that calls itself CockroachDB and holds clients to what its documentation
 * says: it notes each refused form, and each change of the schema inside a transaction, before which it would commit.
 * It ends every `failEvery`th transaction at its COMMIT with 40001, as CockroachDB may end any.
 */
export class CockroachFront {
  readonly violations: string[] = [];
  /** The statements that were seen, each once. */
  readonly statements = new Set<string>();
  retries = 0;
  private readonly server: Server;
  private readonly target: URL;
  private readonly failEvery: number;
  private commits = 0;

  private constructor(target: string, failEvery: number) {
    this.target = new URL(target);
    this.failEvery = failEvery;
    this.server = createServer((client) => this.serve(client));
  }

  static async start(target: string, { failEvery = 0 } = {}): Promise<CockroachFront> {
    const front = new CockroachFront(target, failEvery);
    await new Promise<void>((resolve) => front.server.listen(0, "127.0.0.1", resolve));
    front.server.unref();
    return front;
  }

  get url(): string {
    const url = new URL(this.target);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  close(): void {
    this.server.close();
  }

  private serve(client: Socket): void {
    const server = connect(Number(this.target.port), "127.0.0.1");
    const state = { isInTransaction: false, fails: false };
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.setNoDelay(true).on("error", end).on("close", end);
    const asked = new Messages(true, (type, bytes) => {
      if (type === undefined && bytes.readUInt32BE(4) === SSL_REQUEST) client.write("N");
      else server.write(this.ask(type, bytes, state));
    });
    const answered = new Messages(false, (type, bytes) => client.write(this.answer(type, bytes, state)));
    client.on("data", (chunk: Buffer) => asked.take(chunk));
    server.on("data", (chunk: Buffer) => answered.take(chunk));
  }

  private ask(type: string | undefined, bytes: Buffer, state: { isInTransaction: boolean; fails: boolean }): Buffer {
    const sql = type === "Q" ? text(bytes, 5) : type === "P" ? text(bytes, bytes.indexOf(0, 5) + 1) : undefined;
    if (sql === undefined) return bytes;
    this.judge(sql, state.isInTransaction);
    if (type !== "Q" || sql !== "COMMIT" || this.failEvery === 0) return bytes;
    this.commits++;
    if (this.commits % this.failEvery !== 0) return bytes;
    this.retries++;
    state.fails = true;
    return message("Q", Buffer.from("ROLLBACK\0"));
  }

  private judge(sql: string, isInTransaction: boolean): void {
    this.statements.add(sql);
    for (const [form, why] of REFUSED) if (form.test(sql)) this.violations.push(`${why}: ${sql}`);
    if (WRITE.test(sql) && !QUEUED_WRITE.test(sql)) this.violations.push(`a write that does not queue first: ${sql}`);
    if (isInTransaction && SCHEMA_CHANGE.test(sql)) this.violations.push(`a schema change in a transaction: ${sql}`);
  }

  private answer(type: string | undefined, bytes: Buffer, state: { isInTransaction: boolean; fails: boolean }): Buffer {
    if (type === "Z") state.isInTransaction = bytes[5] !== "I".charCodeAt(0);
    if (type === "C" && state.fails) {
      state.fails = false;
      const fields = ["SERROR", "VERROR", "C40001", "Mrestart transaction: TransactionRetryWithProtoRefreshError"];
      return message("E", Buffer.from(`${fields.join("\0")}\0\0`));
    }
    // Both names have eleven bytes with the blank.
    return type === "D" ? replaced(bytes, "PostgreSQL ", "CockroachDB") : bytes;
  }
}

/** Cuts a stream of PostgreSQL's protocol into messages; a client's first one has no type. */
class Messages {
  private rest = Buffer.alloc(0);
  private isFirst: boolean;
  private readonly see: (type: string | undefined, bytes: Buffer) => void;

  constructor(hasStartup: boolean, see: (type: string | undefined, bytes: Buffer) => void) {
    this.isFirst = hasStartup;
    this.see = see;
  }

  take(chunk: Buffer): void {
    this.rest = Buffer.concat([this.rest, chunk]);
    for (;;) {
      const head = this.isFirst ? 0 : 1;
      if (this.rest.length < head + 4) return;
      const end = head + this.rest.readUInt32BE(head);
      if (this.rest.length < end) return;
      const bytes = this.rest.subarray(0, end);
      this.rest = this.rest.subarray(end);
      const isStartup = this.isFirst;
      if (isStartup && bytes.readUInt32BE(4) !== SSL_REQUEST) this.isFirst = false;
      this.see(isStartup ? undefined : String.fromCharCode(bytes[0] ?? 0), bytes);
    }
  }
}

function message(type: string, content: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, "latin1");
  head.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

function text(bytes: Buffer, from: number): string {
  return bytes.toString("utf8", from, bytes.indexOf(0, from));
}

function replaced(bytes: Buffer, from: string, to: string): Buffer {
  const at = bytes.indexOf(from);
  if (at >= 0) bytes.write(to, at, "latin1");
  return bytes;
}
