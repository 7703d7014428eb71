import { create, type MessageShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { ListedWindow as Listed, WindowTimeZone as SiteTimeZone } from "#gen/datacenter/v1/messages.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import {
  type ListedWindow,
  ListWindowsResponseSchema,
  MaintenanceWindowSchema,
  WindowImpact,
  type MaintenanceWindow as WindowMessage,
  WindowVerdict,
} from "#gen/datacenter/v1/windows_pb.ts";
import { isTimeZone } from "#kernel/clock.ts";
import { getRefName } from "#words/names.ts";
import type { Topology } from "../../../analysis/topology.ts";
import { WINDOW_IMPACTS, WINDOW_STATES, WINDOW_VERDICTS } from "../../../model/enum_values.ts";
import { isWindowOverdue, type MaintenanceWindow } from "../../../model/inventory.ts";
import { codeKey, compareText, toRefKey } from "../../../model/ref.ts";
import { refuse } from "../../../model/refusal.ts";
import { type DcReader, readDocumentPages, type StoredVersion } from "../../../ports.ts";
import { FAILING_REF_KINDS } from "../../answers/failing_sources.ts";
import { cutPage, openPageToken, readCode, readEnumValue, readPageSize, readRef } from "../../answers/parameters.ts";
import { convertTimestampToMs, createStoredMessage } from "../../messages/convert.ts";
import { defineRead, type ReadSession } from "../../rpc.ts";
import { resolvePresentSources, type ShortVerdict } from "./judge_piece.ts";
import { buildStoredTimeline } from "./judge_window.ts";

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

type ListWindowsRequest = MessageShape<typeof PlanningService.method.listWindows.input>;
type StoredWindow = StoredVersion<MaintenanceWindow>;

export const listWindows = defineRead({
  method: PlanningService.method.listWindows,
  effect: "read",
  async run(session, { pageSize, pageToken, ...request }) {
    const { reader, context, now } = session;
    const limit = readPageSize(pageSize);
    const verdicts = request.verdicts.map((verdict, at) => readEnumValue(`verdicts[${at}]`, verdict, WINDOW_VERDICTS));
    const all = await readAllWindows(reader);
    const { topology, timeline, timed } = await buildStoredTimeline(
      session,
      all.map(({ resource }) => resource),
    );
    const findVerdict = async ({ resource }: StoredWindow): Promise<ShortVerdict | undefined> => {
      const window = timed(resource.code);
      return window && timeline.getVerdict(window);
    };
    const question = pickFilterParameters(request);
    const after = openPageToken<string>(context.pageKey, question, pageToken) ?? "";
    let matching = await readMatchingWindows(session, topology, all, request);
    if (verdicts.length > 0) {
      const found: StoredWindow[] = [];
      for (const stored of matching) if (verdicts.includes((await findVerdict(stored))?.verdict)) found.push(stored);
      matching = found;
    }
    const rest = matching.filter((stored) => createWindowSortKey(stored) > after);
    const { page, nextPageToken } = cutPage({ key: context.pageKey, question }, rest, limit, createWindowSortKey);
    const windows: object[] = [];
    for (const stored of page)
      windows.push({ ...createWindowView(stored, now), ...createVerdictFields(await findVerdict(stored)) });
    return create(ListWindowsResponseSchema, {
      revision: await reader.revision(),
      windows,
      nextPageToken,
      totalCount: matching.length,
      timeZone: findSiteTimeZone(topology.inventory.racks),
    });
  },
});

/** Returns the parameters that determine which windows match. */
function pickFilterParameters({ startsBefore, endsAfter, elementRef, states, verdicts }: Partial<ListWindowsRequest>) {
  const getTimeMs = (one: Timestamp | undefined) => (one === undefined ? "" : timestampMs(one));
  return ["windows", getTimeMs(startsBefore), getTimeMs(endsAfter), elementRef, states, verdicts];
}

/** Returns the sort key of a window in the list, compared as text. */
function createWindowSortKey({ resource: { startsAt, code } }: StoredWindow): string {
  return `${new Date(startsAt).toISOString()} ${codeKey(code)}`;
}

/** Reads the windows that match by their stored fields, in the order of the list. */
async function readMatchingWindows(
  session: ReadSession,
  topology: Topology,
  all: readonly StoredWindow[],
  { startsBefore, endsAfter, elementRef = "", states = [] }: Partial<ListWindowsRequest>,
): Promise<readonly StoredWindow[]> {
  const words = states.map((state, at) => readEnumValue(`states[${at}]`, state, WINDOW_STATES));
  const begin =
    startsBefore === undefined ? Number.POSITIVE_INFINITY : convertTimestampToMs(startsBefore, "starts_before");
  const end = endsAfter === undefined ? Number.NEGATIVE_INFINITY : convertTimestampToMs(endsAfter, "ends_after");
  const now = Date.parse(session.now);
  const byTime = all.filter(({ resource }) => {
    const isEnding = Date.parse(resource.endsAt) > end || isWindowOverdue(resource, now);
    return Date.parse(resource.startsAt) < begin && isEnding && (words.length === 0 || words.includes(resource.state));
  });
  const takesOut = elementRef === "" ? undefined : await createElementTest({ session, topology }, elementRef);
  const found: StoredWindow[] = [];
  for (const stored of byTime) if (takesOut === undefined || (await takesOut(stored.resource))) found.push(stored);
  return found.sort((a, b) => compareText(createWindowSortKey(a), createWindowSortKey(b)));
}

type WindowTestInput = { readonly session: ReadSession; readonly topology: Topology };

/** Returns a test of whether a window takes an element out of service, by its reference or with its location. */
async function createElementTest(site: WindowTestInput, text: string) {
  readRef("element_ref", text, FAILING_REF_KINDS);
  const key = toRefKey(text);
  const findNodes = async (refs: readonly string[]) => (await resolvePresentSources(site, refs)).sources.nodes;
  const asked = await findNodes([text]);
  return async ({ elementRefs }: MaintenanceWindow): Promise<boolean> => {
    if (elementRefs.some((ref) => toRefKey(ref) === key)) return true;
    return asked.size > 0 && !asked.isDisjointFrom(new Set(await findNodes(elementRefs)));
  };
}

function createVerdictFields(judged: ShortVerdict | undefined) {
  if (judged === undefined) return {};
  const { verdict, impact, summary } = judged;
  return { verdict: WindowVerdict[verdict], impact: WindowImpact[impact], summary };
}

/** Verdict, impact, overdue mark and summary of an open window at a revision and time. The summary may change alone. */
export type WindowStanding = Omit<Listed, "window">;

/** Standings of open windows, by the key of the window's code. */
export type WindowStandings = ReadonlyMap<string, WindowStanding & { readonly code: string }>;

/**
 * A window whose verdict, impact or overdue mark changed. The state before is absent if the window was not open then,
 * and the state after if the window is no longer open.
 */
export interface ChangedVerdict {
  readonly code: string;
  readonly was: WindowStanding | undefined;
  readonly is: WindowStanding | undefined;
}

/** Returns the standings of the open windows in a list. */
export function collectStandings(windows: readonly ListedWindow[]): WindowStandings {
  const found = new Map<string, WindowStanding & { readonly code: string }>();
  for (const { window, verdict, impact, overdue, summary } of windows) {
    const words = { verdict: WINDOW_VERDICTS[verdict - 1], impact: WINDOW_IMPACTS[impact - 1] };
    if (window === undefined || words.verdict === undefined || words.impact === undefined) continue;
    const standing = { verdict: words.verdict, impact: words.impact, overdue, summary };
    found.set(codeKey(window.code), { code: window.code, ...standing });
  }
  return found;
}

/** Returns the windows whose verdict changed between two states, in the order of codes. */
export function findChangedVerdicts(before: WindowStandings, after: WindowStandings): readonly ChangedVerdict[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort(compareText);
  return keys.flatMap((key) => {
    const [was, is] = [before.get(key), after.get(key)];
    if (was?.verdict === is?.verdict && was?.impact === is?.impact && was?.overdue === is?.overdue) return [];
    return { code: (is ?? was)?.code ?? key, was: was && omitCode(was), is: is && omitCode(is) };
  });
}

function omitCode({ verdict, impact, overdue, summary }: WindowStanding): WindowStanding {
  return { verdict, impact, overdue, summary };
}

/** Label of a rack with the time zone of its site. */
const TIME_ZONE_LABEL = "time_zone";

interface LabelledRack {
  readonly code: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Returns the time zone of all labelled racks, otherwise UTC with the reason. Source: docs/windows.md#time-zones. */
export function findSiteTimeZone(racks: readonly LabelledRack[]): SiteTimeZone {
  const first = new Map<string, string>();
  for (const { code, labels } of racks) {
    const name = labels?.[TIME_ZONE_LABEL] ?? "";
    if (name !== "" && !first.has(name)) first.set(name, code);
  }
  const utc = (note: string, ambiguous = false) => ({ name: "UTC", note, ambiguous });
  const [name, ...others] = first.keys();
  if (name === undefined) return utc(`no rack has the label ${TIME_ZONE_LABEL}`);
  for (const [one, code] of first)
    if (!isTimeZone(one)) return utc(`the label ${TIME_ZONE_LABEL} of rack ${code} is "${one}", which is no IANA name`);
  if (others.length === 0) return { name, note: "", ambiguous: false };
  return utc(`racks have different labels ${TIME_ZONE_LABEL}: ${[...first.keys()].sort().join(", ")}`, true);
}
