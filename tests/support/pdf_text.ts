import { inflateSync } from "node:zlib";

/**
 * The words of a PDF as Chromium writes it, page by page: enough of the format to decode text that is shown by glyph
 * numbers with a table to Unicode. Source: ISO 32000-1, 9.4 and 9.10.
 */
export function pdfText(pdf: Buffer): string {
  const objects = objectsOf(pdf);
  const maps = new Map<string, ReadonlyMap<number, string>>();
  for (const [id, { head }] of objects) {
    const table = /\/ToUnicode (\d+) 0 R/.exec(head)?.[1];
    if (table !== undefined) maps.set(id, unicodeMap(objects.get(table)?.stream ?? ""));
  }
  const pages = [...objects.values()].filter(({ head }) => /\/Type\s*\/Page\b/.test(head));
  return pages.map(({ head }) => pageText(head, objects, maps)).join("\n");
}

interface PdfObject {
  readonly head: string;
  readonly stream: string;
}

function objectsOf(pdf: Buffer): ReadonlyMap<string, PdfObject> {
  const text = pdf.toString("latin1");
  const found = new Map<string, PdfObject>();
  for (const match of text.matchAll(/(?:^|\n)(\d+) 0 obj\b([\s\S]*?)endobj/g)) {
    const [, id = "", body = ""] = match;
    const at = body.indexOf("stream\n");
    const head = at < 0 ? body : body.slice(0, at);
    const length = Number(/\/Length (\d+)/.exec(head)?.[1] ?? 0);
    const bytes = Buffer.from(at < 0 ? "" : body.slice(at + 7, at + 7 + length), "latin1");
    found.set(id, { head, stream: inflated(bytes, head) });
  }
  return found;
}

function inflated(bytes: Buffer, head: string): string {
  if (!head.includes("/FlateDecode") || head.includes("/Subtype /Image")) return bytes.toString("latin1");
  return inflateSync(bytes).toString("latin1");
}

/** From the code of a glyph to what it stands for. */
function unicodeMap(table: string): ReadonlyMap<number, string> {
  const map = new Map<number, string>();
  const words = (hex: string) => Buffer.from(hex, "hex").swap16().toString("utf16le");
  for (const [, body = ""] of table.matchAll(/beginbfchar([\s\S]*?)endbfchar/g)) {
    for (const [, from = "", to = ""] of body.matchAll(/<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>/g)) {
      map.set(Number.parseInt(from, 16), words(to));
    }
  }
  for (const [, body = ""] of table.matchAll(/beginbfrange([\s\S]*?)endbfrange/g)) {
    for (const [, from = "", to = "", first = ""] of body.matchAll(/<(\w+)>\s*<(\w+)>\s*<(\w+)>/g)) {
      const start = Number.parseInt(from, 16);
      for (let code = start; code <= Number.parseInt(to, 16); code++) {
        map.set(code, String.fromCodePoint((words(first).codePointAt(0) ?? 0) + code - start));
      }
    }
  }
  return map;
}

function pageText(
  head: string,
  objects: ReadonlyMap<string, PdfObject>,
  maps: ReadonlyMap<string, ReadonlyMap<number, string>>,
): string {
  const fonts = new Map(
    [...head.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = "", id = ""]) => [name, maps.get(id)]),
  );
  const content = objects.get(/\/Contents (\d+) 0 R/.exec(head)?.[1] ?? "")?.stream ?? "";
  let font: ReadonlyMap<number, string> | undefined;
  let text = "";
  for (const [, name, hex] of content.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>(?=[^<]*?T[jJ])|\bET\b/g)) {
    if (name !== undefined) font = fonts.get(name);
    else if (hex === undefined) text += "\n";
    else for (const code of hex.match(/.{4}/g) ?? []) text += font?.get(Number.parseInt(code, 16)) ?? "";
  }
  return text;
}
