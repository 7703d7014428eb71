import { getResourceKey } from "#dc/model/ref.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { DcReader, StoredDocument } from "#dc/ports.ts";

/** Number of rows per page. Our choice: one page takes some milliseconds. */
const PAGE_SIZE = 500;

/** Yields all documents of a space in pages, in the order of keys. */
export function readDocumentPages(
  reader: Pick<DcReader, "documents">,
  space: string,
): AsyncGenerator<readonly StoredDocument[]> {
  return readPagesByKey(
    (after) => reader.documents(space, after, PAGE_SIZE),
    ({ key }) => key,
  );
}

/** Yields all resources of a kind in pages, in the order of keys. */
export function readResourcePages<Kind extends ResourceKind>(
  reader: DcReader,
  kind: Kind,
): AsyncGenerator<readonly ResourceByKind[Kind][]> {
  return readPagesByKey((after) => reader.page(kind, after, PAGE_SIZE), getResourceKey);
}

async function* readPagesByKey<Row>(
  readPage: (after: string) => Promise<readonly Row[]>,
  getKey: (row: Row) => string,
): AsyncGenerator<readonly Row[]> {
  for (let after = ""; ; ) {
    const page = await readPage(after);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return;
    after = getKey(last);
  }
}
