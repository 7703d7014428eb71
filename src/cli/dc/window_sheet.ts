import { toJson } from "@bufbuild/protobuf";
import { type GetWindowResponse, GetWindowResponseSchema } from "#gen/datacenter/v1/windows_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { escapeXml } from "#kernel/escape.ts";
import { formatCountWithNoun } from "#words/names.ts";
import { print, printJson } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import type { DatabaseLocation } from "./database.ts";
import { readWindow } from "./stored_windows.ts";
import { withService } from "./with_service.ts";

/** Prints the work instructions of a window, as text or as a page for a printer. */
export async function printWindowSheet(
  database: DatabaseLocation,
  code: string,
  format: "text" | "html",
): Promise<void> {
  const reply = await readOpenWindow(database, code);
  print(format === "html" ? formatSheetPage(reply) : formatSheetText(reply));
}

/** Prints a mail for each contact of a window. */
export async function printWindowNotices(
  database: DatabaseLocation,
  { code, json }: { readonly code: string; readonly json: boolean },
  log: StderrLogger,
): Promise<void> {
  const reply = await readOpenWindow(database, code);
  const { notices } = reply;
  if (json) {
    const all = toJson(GetWindowResponseSchema, reply, { useProtoFieldName: true });
    return printJson({ notices: (all as { readonly notices?: readonly object[] }).notices ?? [] });
  }
  print(notices.map(({ subject, text }) => `Subject: ${subject}\n${text}`).join("\n----\n\n"));
  log.note(
    notices.length === 0
      ? "Nobody to tell: no device is lost or on its last supply"
      : formatCountWithNoun(notices.length, "notice"),
  );
}

/** Reads a window that has not ended. @throws OperationError for a window that has ended. */
async function readOpenWindow(database: DatabaseLocation, code: string): Promise<GetWindowResponse> {
  const reply = await withService(database, (service) => readWindow(service, code));
  if (reply.judgement !== undefined) return reply;
  throw new OperationError(
    "failed_precondition",
    `Window "${code}" is done or cancelled: expected one that is planned or begun`,
  );
}

function formatSheetText({ sheet }: GetWindowResponse): string {
  return `${sheet.map(({ title, lines }) => [title, ...lines.map((line) => `  ${line}`)].join("\n")).join("\n\n")}\n`;
}

const SHEET_STYLE =
  "body{font:11pt/1.4 sans-serif;max-width:46em;margin:2em auto;padding:0 1em;color:#1b1f24;background:#fff}" +
  "h1{font-size:1.4em}h2{font-size:1.1em;margin:1.2em 0 .3em;border-bottom:1px solid #888}section{break-inside:avoid-page}" +
  "ul{list-style:none;padding:0;margin:0}li{padding:.15em 0 .15em 1.6em;position:relative;overflow-wrap:anywhere}" +
  'li::before{content:"";position:absolute;left:.2em;top:.45em;width:.7em;height:.7em;border:1px solid #555}' +
  "@media print{body{margin:0;max-width:none}}";

/** Formats a page with a checkbox before each line. */
function formatSheetPage({ window, sheet }: GetWindowResponse): string {
  const heading = `Run sheet ${window?.code ?? ""}`;
  const sections = sheet.map(
    ({ title, lines }) =>
      `<section><h2>${escapeXml(title)}</h2>\n<ul>\n${lines.map((line) => `<li>${escapeXml(line)}</li>`).join("\n")}\n</ul></section>`,
  );
  return (
    `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">` +
    `<title>${escapeXml(heading)}</title><style>${SHEET_STYLE}</style></head>\n<body>\n<h1>${escapeXml(heading)}</h1>\n` +
    `${sections.join("\n")}\n</body>\n</html>\n`
  );
}
