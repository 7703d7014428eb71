import { codeKey } from "#dc/model/code.ts";
import { isOverdue, type MaintenanceWindow } from "#dc/model/maintenance_window.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { DcReader, Stored } from "#dc/ports.ts";
import { MaintenanceWindowSchema, type MaintenanceWindow as WindowMessage } from "#gen/datacenter/v1/windows_pb.ts";
import { getRefName } from "#words/names.ts";
import { readCode } from "../../answers/parameters.ts";
import { toMessage } from "../../messages/convert.ts";

/** The space of documents that holds windows, by the key of their code. */
export const WINDOWS = "window";

const READ_AT_ONCE = 500;

/** A window with its version, or undefined. */
export async function storedWindow(reader: DcReader, code: string): Promise<Stored<MaintenanceWindow> | undefined> {
  const text = await reader.document(WINDOWS, codeKey(code));
  return text === undefined ? undefined : JSON.parse(text);
}

/** A window with its version. @throws Refusal naming the field for a code that no window has */
export async function demandWindow(reader: DcReader, field: string, code: string): Promise<Stored<MaintenanceWindow>> {
  readCode(field, code);
  const stored = await storedWindow(reader, code);
  if (stored !== undefined) return stored;
  throw refuse("NOT_FOUND", `Cannot find window "${code}"`, { field, value: code, ref: `window:${code}` });
}

/** All windows in the order of their keys. Cost: one look-up per 500. */
export async function allWindows(reader: DcReader): Promise<readonly Stored<MaintenanceWindow>[]> {
  const found: Stored<MaintenanceWindow>[] = [];
  for (let after = ""; ; ) {
    const page = await reader.documents(WINDOWS, after, READ_AT_ONCE);
    for (const { body } of page) found.push(JSON.parse(body));
    const last = page.at(-1);
    if (last === undefined || page.length < READ_AT_ONCE) return found;
    after = last.key;
  }
}

export function windowMessage({ resource, ...version }: Stored<MaintenanceWindow>): WindowMessage {
  return toMessage(MaintenanceWindowSchema, { ...resource, ...version });
}

/** A window as replies show it. @param now ISO 8601 */
export function windowView(stored: Stored<MaintenanceWindow>, now: string) {
  return { window: windowMessage(stored), overdue: isOverdue(stored.resource, Date.parse(now)) };
}

/** An owner or tenant with a contact, as all texts about windows write them: "blue, ops@blue.example". */
export function contactText(owner: string, contact: string): string {
  return [owner, contact].filter((text) => text !== "").join(", ");
}

/** Lines of run sheets and calendars. */
export function outText(elementRefs: readonly string[]): string {
  return `Out: ${elementRefs.map(getRefName).join(", ")}`;
}

export function doneByText(owner: string): string {
  return `Done by: ${owner}`;
}
