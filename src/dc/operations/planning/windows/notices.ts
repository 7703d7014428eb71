import type { MessageInitShape } from "@bufbuild/protobuf";
import type { WindowContact, WindowNoticeSchema } from "#gen/datacenter/v1/windows_pb.ts";
import { refName } from "#words/names.ts";
import { oneLine, type SheetSubject, spanText, timeText, whoText } from "./run_sheet.ts";

type Notice = MessageInitShape<typeof WindowNoticeSchema>;

/** A text for each contact of a window: what happens to its devices, when, and whom to ask. */
export function noticesOf(subject: SheetSubject): readonly Notice[] {
  return subject.judgement.contacts.map((contact) => ({
    tenant: contact.tenant,
    contact: contact.contact,
    subject: subjectLine(subject),
    text: noticeText(subject, contact),
  }));
}

function subjectLine({ window, zone }: SheetSubject): string {
  const { code, title = "" } = window;
  return oneLine(`Maintenance ${title === "" ? code : `${code}: ${title}`}, ${spanText(window, zone)}`);
}

function noticeText({ window, zone }: SheetSubject, contact: WindowContact): string {
  const { code, title = "", owner = "", contact: reach = "", startsAt, endsAt, elementRefs } = window;
  const { lost, lostCount, reserve, reserveCount } = contact;
  const by = [owner, reach].filter((text) => text !== "").join(", ");
  const parts = [
    [`To: ${whoText(contact)}`],
    [
      `From ${timeText(startsAt, zone)} to ${timeText(endsAt, zone)} (${zone}) these elements are out of service:`,
      ...elementRefs.map((ref) => `  ${refName(ref)}`),
    ],
    title === "" ? [] : [`Work: ${title}`],
    listed("Off or unreachable for that time:", lost, lostCount),
    listed("On for that time, without reserve: one more failure switches them off:", reserve, reserveCount),
    [by === "" ? `Ask about it: window ${code}` : `Ask about it: window ${code}, ${by}`],
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function listed(title: string, codes: readonly string[], count: number): readonly string[] {
  if (count === 0) return [];
  const rest = count - codes.length;
  return [title, ...codes.map((code) => `  ${code}`), ...(rest > 0 ? [`  and ${rest} more`] : [])];
}
