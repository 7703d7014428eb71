import { codeKey } from "#dc/model/code.ts";
import { isWindowOverdue, type MaintenanceWindow } from "#dc/model/maintenance_window.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { DcReader, StoredVersion } from "#dc/ports.ts";
import { MaintenanceWindowSchema, type MaintenanceWindow as WindowMessage } from "#gen/datacenter/v1/windows_pb.ts";
import { getRefName } from "#words/names.ts";
import { readCode } from "../../answers/parameters.ts";
import { readDocumentPages } from "../../database_pages.ts";
import { createStoredMessage } from "../../messages/messages.ts";

/** Document space of windows, by the key of their code. */
export const WINDOW_SPACE = "window";

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
  for await (const page of readDocumentPages(reader, WINDOW_SPACE)) {
    found.push(...page.map(({ body }) => JSON.parse(body)));
  }
  return found;
}

export function createWindowMessage(stored: StoredVersion<MaintenanceWindow>): WindowMessage {
  return createStoredMessage(MaintenanceWindowSchema, stored);
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
