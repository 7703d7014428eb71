import { codeKey } from "#dc/model/code.ts";
import { isWindowOverdue, type MaintenanceWindow } from "#dc/model/maintenance_window.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { DcReader, StoredVersion } from "#dc/ports.ts";
import { MaintenanceWindowSchema, type MaintenanceWindow as WindowMessage } from "#gen/datacenter/v1/windows_pb.ts";
import { getRefName } from "#words/names.ts";
import { readCode } from "../../answers/parameters.ts";
import { convertToMessage } from "../../messages/convert.ts";

/** Document space of windows, by the key of their code. */
export const WINDOW_SPACE = "window";

const PAGE_SIZE = 500;

/** Reads a window with its version; undefined if it does not exist. */
export async function readWindow(
  reader: DcReader,
  code: string,
): Promise<StoredVersion<MaintenanceWindow> | undefined> {
  const text = await reader.document(WINDOW_SPACE, codeKey(code));
  return text === undefined ? undefined : JSON.parse(text);
}

/** Reads a window with its version. @throws Refusal naming the field for a code that no window has */
export async function requireWindow(
  reader: DcReader,
  field: string,
  code: string,
): Promise<StoredVersion<MaintenanceWindow>> {
  readCode(field, code);
  const stored = await readWindow(reader, code);
  if (stored !== undefined) return stored;
  throw refuse("NOT_FOUND", `Cannot find window "${code}"`, { field, value: code, ref: `window:${code}` });
}

/** Reads all windows in the order of their keys. Cost: one read per 500 windows. */
export async function readAllWindows(reader: DcReader): Promise<readonly StoredVersion<MaintenanceWindow>[]> {
  const found: StoredVersion<MaintenanceWindow>[] = [];
  for (let after = ""; ; ) {
    const page = await reader.documents(WINDOW_SPACE, after, PAGE_SIZE);
    for (const { body } of page) found.push(JSON.parse(body));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return found;
    after = last.key;
  }
}

export function createWindowMessage({ resource, ...version }: StoredVersion<MaintenanceWindow>): WindowMessage {
  return convertToMessage(MaintenanceWindowSchema, { ...resource, ...version });
}

/** Converts a window to the message that replies contain. @param now ISO 8601 */
export function createWindowView(stored: StoredVersion<MaintenanceWindow>, now: string) {
  return { window: createWindowMessage(stored), overdue: isWindowOverdue(stored.resource, Date.parse(now)) };
}

/** Returns an owner or tenant with a contact, as in all texts about windows: "blue, ops@blue.example". */
export function formatPartyContact(owner: string, contact: string): string {
  return [owner, contact].filter((text) => text !== "").join(", ");
}

/** Returns the line of run sheets and calendars that lists the elements out of service. */
export function formatElementsLine(elementRefs: readonly string[]): string {
  return `Out: ${elementRefs.map(getRefName).join(", ")}`;
}

export function formatOwnerLine(owner: string): string {
  return `Done by: ${owner}`;
}
