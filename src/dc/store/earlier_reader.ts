import type { ResourceKind } from "#dc/model/resources.ts";
import type { ChainHead, CheckedRow, DcReader, DcStore, StoredCheckpoint, StoredDocument } from "#dc/ports.ts";
import { migrations } from "./migrations.ts";
import { checkResourceRows, countStrayRows } from "./sql/row_check.ts";
import { SqlReader } from "./sql/sql_reader.ts";
import { type Dialect, getTextColumn, type SqlRunner } from "./sql/sql_runner.ts";

/** A database that is opened read-only. */
export interface InspectedStore extends DcStore {
  /** Number of migration steps that the database has. */
  readonly steps: number;
  /** Returns damage that SQLite finds in a file's pages; undefined without damage. Cost: reads the whole file. */
  readonly findDamage: () => Promise<string | undefined>;
}

/** Returns a reader for a database of any schema version, without migrating it. */
export function createStoreReader(runner: SqlRunner, dialect: Dialect, steps: number): DcReader {
  if (steps === migrations.length) return new SqlReader(runner, dialect);
  const executedSteps = new Set(migrations.slice(0, steps).map(({ name }) => name));
  return new EarlierSchemaReader(runner, dialect, executedSteps);
}

/** Reader for verifications in a schema that lacks migration steps. */
class EarlierSchemaReader extends SqlReader {
  readonly #executedSteps: ReadonlySet<string>;

  constructor(runner: SqlRunner, dialect: Dialect, taken: ReadonlySet<string>) {
    super(runner, dialect);
    this.#executedSteps = taken;
  }

  override async strayRows(): Promise<ReadonlyMap<string, number>> {
    return countStrayRows(this.runner, this.#executedSteps.has("documents"));
  }

  override async document(space: string, key: string): Promise<string | undefined> {
    return this.#executedSteps.has("documents") ? super.document(space, key) : undefined;
  }

  override async documents(space: string, after: string, limit: number): Promise<readonly StoredDocument[]> {
    return this.#executedSteps.has("documents") ? super.documents(space, after, limit) : [];
  }

  /** Returns nothing: a database of an earlier schema may lack tables. */
  override async timesAfter(): Promise<ReadonlyMap<string, number>> {
    return new Map();
  }

  /** Returns the last entry if the database records no head, so a truncated log is not detected. */
  override async chainHead(): Promise<ChainHead> {
    if (this.#executedSteps.has("audit head and checkpoints")) return super.chainHead();
    const [row] = await this.runner.all("SELECT seq, hash FROM change_log ORDER BY seq DESC LIMIT 1");
    return row === undefined ? { seq: 0, hash: "" } : { seq: Number(row["seq"]), hash: getTextColumn(row, "hash") };
  }

  override async checkpoints(): Promise<readonly StoredCheckpoint[]> {
    return this.#executedSteps.has("audit head and checkpoints") ? super.checkpoints() : [];
  }

  override async checkRows(kind: ResourceKind, after: string, limit: number): Promise<readonly CheckedRow[]> {
    const page = { kind, after, limit, ignoredColumns: this.#executedSteps.has("draws of inlets") ? [] : ["draw_w"] };
    return this.#executedSteps.has("free data ports")
      ? checkResourceRows(this.runner, page)
      : checkResourceRows(this.runner, { ...page, portTypeColumns: "device_key, type, free" });
  }
}
