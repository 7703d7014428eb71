import { isTimeZone, type LocalTime, type TimeZone } from "#kernel/clock.ts";
import { OperationError } from "#kernel/errors.ts";

/** A line of a calendar: `NAME;PARAMETER=value:value`. Names are in upper case. */
export interface ContentLine {
  /** Number of the entry's first line in the file, from 1. */
  readonly line: number;
  readonly name: string;
  /** Parameter values without their quotes. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Unparsed value. */
  readonly value: string;
  /** Why the line cannot be read. */
  readonly problem?: string;
}

/** Returns the error for an invalid line of a calendar. */
export function createCalendarLineError(line: number, message: string): OperationError {
  return new OperationError("invalid_argument", `Line ${line}: ${message}`);
}

const LINE_HEAD_PATTERN = /^([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)*):/;
const PARAMETER_PATTERN = /;([A-Za-z0-9-]+)=((?:"[^"]*"|[^";])*)/g;
const MAX_QUOTED_CHARS = 60;

/**
 * Reads the lines of a calendar. Joins folded lines before their octets are decoded, since a fold may divide a character.
 * Source: RFC 5545, 3.1.
 */
export function readContentLines(bytes: Uint8Array): readonly ContentLine[] {
  const joined: { line: number; octets: string }[] = [];
  const octets = Buffer.from(bytes)
    .toString("latin1")
    .replace(/^\u00ef\u00bb\u00bf/, "");
  for (const [index, part] of octets.split(/\r\n|[\r\n]/).entries()) {
    const last = joined.at(-1);
    if (/^[ \t]/.test(part) && last !== undefined) last.octets += part.slice(1);
    else if (part !== "") joined.push({ line: index + 1, octets: part });
  }
  return joined.map(({ line, octets: whole }) => parseLine(line, Buffer.from(whole, "latin1")));
}

function parseLine(line: number, bytes: Buffer): ContentLine {
  const whole = bytes.toString("utf8");
  const [head, name = "", parameters = ""] = LINE_HEAD_PATTERN.exec(whole) ?? [];
  const unread = { line, name: "", parameters: {}, value: "" };
  if (whole.includes("\uFFFD") && !Buffer.from(whole).equals(bytes))
    return { ...unread, problem: `"${whole.slice(0, MAX_QUOTED_CHARS)}" holds bytes that are not UTF-8` };
  if (head === undefined)
    return {
      ...unread,
      problem: `"${whole.slice(0, MAX_QUOTED_CHARS)}" is no line of a calendar: expected NAME:value`,
    };
  const pairs = [...parameters.matchAll(PARAMETER_PATTERN)].map(([, key = "", value = ""]): [string, string] => [
    key.toUpperCase(),
    value.replaceAll('"', ""),
  ]);
  return { line, name: name.toUpperCase(), parameters: Object.fromEntries(pairs), value: whole.slice(head.length) };
}

/** Removes the escapes of a value of the type TEXT. */
export function unescapeText(value: string): string {
  return value.replaceAll(/\\([\s\S])/g, (_, letter: string) => (letter.toLowerCase() === "n" ? "\n" : letter));
}

/** Lines of a VTIMEZONE and of its parts STANDARD and DAYLIGHT. */
export interface ZoneComponent {
  readonly line: number;
  readonly lines: readonly ContentLine[];
  readonly components: readonly { readonly line: number; readonly lines: readonly ContentLine[] }[];
}

/**
 * Returns the zone that a name means: by the rules in the file, else as a name of IANA, also behind a prefix such as
 * `/mozilla.org/20050126_1/Europe/Berlin`, else as a name of Windows. Undefined for another name.
 * @throws OperationError for rules of the file that cannot be read
 */
export function findTimeZone(name: string, own: ReadonlyMap<string, ZoneComponent>): TimeZone | undefined {
  const rules = own.get(name);
  if (rules !== undefined) return createRuledZone(name, rules);
  if (isTimeZone(name)) return name;
  const parts = name.startsWith("/") ? name.split("/") : [];
  const suffix = parts.map((_, at) => parts.slice(at).join("/")).find((one) => one !== "" && isTimeZone(one));
  return suffix ?? (Object.hasOwn(ZONE_BY_WINDOWS_NAME, name) ? ZONE_BY_WINDOWS_NAME[name] : undefined);
}

/** Begin of an offset from UTC. Times are in milliseconds. */
interface Onset {
  readonly instant: number;
  readonly offset: number;
}

function createRuledZone(name: string, { line, components }: ZoneComponent): TimeZone {
  const read = components.map((part) => readObservance(name, part.line, part.lines));
  const onsets = read.flatMap((one) => one.onsets).toSorted((a, b) => a.instant - b.instant);
  const [first] = onsets;
  if (first === undefined) throw createCalendarLineError(line, `the time zone "${name}" has no rules`);
  const before = read.find((one) => one.onsets.includes(first))?.offsetFrom ?? first.offset;
  return {
    name,
    getOffsetMs: (instant) => onsets.findLast((onset) => onset.instant <= instant)?.offset ?? before,
  };
}

const OFFSET_PATTERN = /^([+-])(\d{2})(\d{2})(\d{2})?$/;

function readObservance(zone: string, line: number, lines: readonly ContentLine[]) {
  const findLine = (name: string) => lines.find((one) => one.name === name);
  const requireLine = (name: string) => {
    const found = findLine(name);
    if (found === undefined) throw createCalendarLineError(line, `the time zone "${zone}" has a part without ${name}`);
    return found;
  };
  const [offsetFrom, offset] = ["TZOFFSETFROM", "TZOFFSETTO"].map((name) => readOffset(requireLine(name)));
  const start = requireLine("DTSTART");
  const rule = findLine("RRULE");
  const dates = lines
    .filter(({ name }) => name === "RDATE")
    .flatMap((one) => one.value.split(",").map((value) => ({ ...one, value })));
  const begin = readLocalTime(start);
  const repeated = rule === undefined ? [begin] : listOnsets(begin, rule, offsetFrom ?? 0);
  const instants = [...repeated, ...dates.map(readLocalTime)].map((local) => local - (offsetFrom ?? 0));
  return { offsetFrom: offsetFrom ?? 0, onsets: instants.map((instant): Onset => ({ instant, offset: offset ?? 0 })) };
}

function readOffset({ line, name, value }: ContentLine): number {
  const [whole, sign, hours, minutes, seconds = "0"] = OFFSET_PATTERN.exec(value) ?? [];
  if (whole === undefined)
    throw createCalendarLineError(line, `${name} "${value}" cannot be read: expected one such as +0100`);
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === "-" ? -size : size;
}

/** Returns a local time as milliseconds, as if it were in UTC. */
function readLocalTime({ line, name, value }: ContentLine): number {
  const [whole, ...parts] = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})$/.exec(value) ?? [];
  if (whole === undefined)
    throw createCalendarLineError(
      line,
      `${name} "${value}" of a time zone cannot be read: expected one such as 20261025T030000`,
    );
  const [year = 0, month = 1, day = 1, hour, minute, second] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Years for which rules are followed. */
const [FIRST_YEAR, LAST_YEAR] = [1970, 2100];
const WEEKDAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];

/** Returns the local times at which a yearly rule begins. @throws OperationError for a rule that is not yearly */
function listOnsets(begin: number, rule: ContentLine, offsetFrom: number): readonly number[] {
  const { months, last, ...days } = readRule(begin, rule, offsetFrom);
  const timeOfDay = ((begin % DAY_MS) + DAY_MS) % DAY_MS;
  const years = Array.from({ length: LAST_YEAR - FIRST_YEAR + 1 }, (_, at) => FIRST_YEAR + at);
  return years
    .flatMap((year) =>
      months.flatMap((month) =>
        listDays({ year, month, ...days }).map((day) => Date.UTC(year, month - 1, day) + timeOfDay),
      ),
    )
    .filter((onset) => onset >= begin && onset <= last);
}

const RULE_PARTS = ["FREQ", "INTERVAL", "BYMONTH", "BYDAY", "BYMONTHDAY", "UNTIL", "WKST"];

function readRule(begin: number, { line, value }: ContentLine, offsetFrom: number) {
  const pairs = value.toUpperCase().split(";");
  const parts = new Map(pairs.map((part) => part.split("=") as [string, string]));
  const first = new Date(begin);
  const until = parts.get("UNTIL");
  const last = until === undefined ? Number.POSITIVE_INFINITY : readUntil(until, offsetFrom);
  const weekdays = parts
    .get("BYDAY")
    ?.split(",")
    .map((one) => /^([+-]?\d{1,2})?(SU|MO|TU|WE|TH|FR|SA)$/.exec(one));
  const isYearly = parts.get("FREQ") === "YEARLY" && (parts.get("INTERVAL") ?? "1") === "1";
  const isKnown = [...parts.keys()].every((key) => RULE_PARTS.includes(key)) && weekdays?.includes(null) !== true;
  if (!isYearly || !isKnown || Number.isNaN(last))
    throw createCalendarLineError(line, `RRULE "${value}" of a time zone is not supported: expected a yearly one`);
  const months = parts.get("BYMONTH")?.split(",").map(Number) ?? [first.getUTCMonth() + 1];
  const named = parts.get("BYMONTHDAY")?.split(",").map(Number);
  return { months, last, weekdays, days: named ?? (weekdays === undefined ? [first.getUTCDate()] : undefined) };
}

/** Returns UNTIL as a local time in milliseconds. */
function readUntil(until: string, offsetFrom: number): number {
  const [whole, year, month, day, hour = 23, minute = 59, second = 59, mark] =
    /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z)?)?$/.exec(until) ?? [];
  if (whole === undefined) return Number.NaN;
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  return mark === undefined ? time : time + offsetFrom;
}

interface DayRule extends Pick<LocalTime, "year" | "month"> {
  readonly days: readonly number[] | undefined;
  readonly weekdays: readonly (RegExpExecArray | null)[] | undefined;
}

/** Returns the days of a month that a rule names. */
function listDays({ year, month, days, weekdays }: DayRule): readonly number[] {
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const all = Array.from({ length }, (_, at) => at + 1);
  const named = days?.map((day) => (day < 0 ? length + 1 + day : day));
  return all.filter((day) => {
    if (named?.includes(day) === false) return false;
    if (weekdays === undefined) return true;
    const weekday = WEEKDAYS[new Date(Date.UTC(year, month - 1, day)).getUTCDay()];
    const fromStart = Math.ceil(day / 7);
    const fromEnd = -Math.ceil((length + 1 - day) / 7);
    return weekdays.some(
      (one) =>
        one?.[2] === weekday &&
        [undefined, fromStart, fromEnd].includes(one?.[1] === undefined ? undefined : Number(one[1])),
    );
  });
}

/** Zones of IANA by the names of Windows, for no territory. Source: CLDR 48.2, supplemental/windowsZones.xml. */
const ZONE_BY_WINDOWS_NAME: Readonly<Record<string, string>> = Object.fromEntries(
  `
Afghanistan Standard Time=Asia/Kabul
Alaskan Standard Time=America/Anchorage
Aleutian Standard Time=America/Adak
Altai Standard Time=Asia/Barnaul
Arab Standard Time=Asia/Riyadh
Arabian Standard Time=Asia/Dubai
Arabic Standard Time=Asia/Baghdad
Argentina Standard Time=America/Buenos_Aires
Astrakhan Standard Time=Europe/Astrakhan
Atlantic Standard Time=America/Halifax
AUS Central Standard Time=Australia/Darwin
Aus Central W. Standard Time=Australia/Eucla
AUS Eastern Standard Time=Australia/Sydney
Azerbaijan Standard Time=Asia/Baku
Azores Standard Time=Atlantic/Azores
Bahia Standard Time=America/Bahia
Bangladesh Standard Time=Asia/Dhaka
Belarus Standard Time=Europe/Minsk
Bougainville Standard Time=Pacific/Bougainville
Canada Central Standard Time=America/Regina
Cape Verde Standard Time=Atlantic/Cape_Verde
Caucasus Standard Time=Asia/Yerevan
Cen. Australia Standard Time=Australia/Adelaide
Central America Standard Time=America/Guatemala
Central Asia Standard Time=Asia/Bishkek
Central Brazilian Standard Time=America/Cuiaba
Central Europe Standard Time=Europe/Budapest
Central European Standard Time=Europe/Warsaw
Central Pacific Standard Time=Pacific/Guadalcanal
Central Standard Time=America/Chicago
Central Standard Time (Mexico)=America/Mexico_City
Chatham Islands Standard Time=Pacific/Chatham
China Standard Time=Asia/Shanghai
Cuba Standard Time=America/Havana
Dateline Standard Time=Etc/GMT+12
E. Africa Standard Time=Africa/Nairobi
E. Australia Standard Time=Australia/Brisbane
E. Europe Standard Time=Europe/Chisinau
E. South America Standard Time=America/Sao_Paulo
Easter Island Standard Time=Pacific/Easter
Eastern Standard Time=America/New_York
Eastern Standard Time (Mexico)=America/Cancun
Egypt Standard Time=Africa/Cairo
Ekaterinburg Standard Time=Asia/Yekaterinburg
Fiji Standard Time=Pacific/Fiji
FLE Standard Time=Europe/Kiev
Georgian Standard Time=Asia/Tbilisi
GMT Standard Time=Europe/London
Greenland Standard Time=America/Godthab
Greenwich Standard Time=Atlantic/Reykjavik
GTB Standard Time=Europe/Bucharest
Haiti Standard Time=America/Port-au-Prince
Hawaiian Standard Time=Pacific/Honolulu
India Standard Time=Asia/Calcutta
Iran Standard Time=Asia/Tehran
Israel Standard Time=Asia/Jerusalem
Jordan Standard Time=Asia/Amman
Kaliningrad Standard Time=Europe/Kaliningrad
Korea Standard Time=Asia/Seoul
Libya Standard Time=Africa/Tripoli
Line Islands Standard Time=Pacific/Kiritimati
Lord Howe Standard Time=Australia/Lord_Howe
Magadan Standard Time=Asia/Magadan
Magallanes Standard Time=America/Punta_Arenas
Marquesas Standard Time=Pacific/Marquesas
Mauritius Standard Time=Indian/Mauritius
Middle East Standard Time=Asia/Beirut
Montevideo Standard Time=America/Montevideo
Morocco Standard Time=Africa/Casablanca
Mountain Standard Time=America/Denver
Mountain Standard Time (Mexico)=America/Mazatlan
Myanmar Standard Time=Asia/Rangoon
N. Central Asia Standard Time=Asia/Novosibirsk
Namibia Standard Time=Africa/Windhoek
Nepal Standard Time=Asia/Katmandu
New Zealand Standard Time=Pacific/Auckland
Newfoundland Standard Time=America/St_Johns
Norfolk Standard Time=Pacific/Norfolk
North Asia East Standard Time=Asia/Irkutsk
North Asia Standard Time=Asia/Krasnoyarsk
North Korea Standard Time=Asia/Pyongyang
Omsk Standard Time=Asia/Omsk
Pacific SA Standard Time=America/Santiago
Pacific Standard Time=America/Los_Angeles
Pacific Standard Time (Mexico)=America/Tijuana
Pakistan Standard Time=Asia/Karachi
Paraguay Standard Time=America/Asuncion
Qyzylorda Standard Time=Asia/Qyzylorda
Romance Standard Time=Europe/Paris
Russia Time Zone 3=Europe/Samara
Russia Time Zone 10=Asia/Srednekolymsk
Russia Time Zone 11=Asia/Kamchatka
Russian Standard Time=Europe/Moscow
SA Eastern Standard Time=America/Cayenne
SA Pacific Standard Time=America/Bogota
SA Western Standard Time=America/La_Paz
Saint Pierre Standard Time=America/Miquelon
Sakhalin Standard Time=Asia/Sakhalin
Samoa Standard Time=Pacific/Apia
Sao Tome Standard Time=Africa/Sao_Tome
Saratov Standard Time=Europe/Saratov
SE Asia Standard Time=Asia/Bangkok
Singapore Standard Time=Asia/Singapore
South Africa Standard Time=Africa/Johannesburg
South Sudan Standard Time=Africa/Juba
Sri Lanka Standard Time=Asia/Colombo
Sudan Standard Time=Africa/Khartoum
Syria Standard Time=Asia/Damascus
Taipei Standard Time=Asia/Taipei
Tasmania Standard Time=Australia/Hobart
Tocantins Standard Time=America/Araguaina
Tokyo Standard Time=Asia/Tokyo
Tomsk Standard Time=Asia/Tomsk
Tonga Standard Time=Pacific/Tongatapu
Transbaikal Standard Time=Asia/Chita
Turkey Standard Time=Europe/Istanbul
Turks And Caicos Standard Time=America/Grand_Turk
Ulaanbaatar Standard Time=Asia/Ulaanbaatar
US Eastern Standard Time=America/Indianapolis
US Mountain Standard Time=America/Phoenix
UTC=Etc/UTC
UTC-02=Etc/GMT+2
UTC-08=Etc/GMT+8
UTC-09=Etc/GMT+9
UTC-11=Etc/GMT+11
UTC+12=Etc/GMT-12
UTC+13=Etc/GMT-13
Venezuela Standard Time=America/Caracas
Vladivostok Standard Time=Asia/Vladivostok
Volgograd Standard Time=Europe/Volgograd
W. Australia Standard Time=Australia/Perth
W. Central Africa Standard Time=Africa/Lagos
W. Europe Standard Time=Europe/Berlin
W. Mongolia Standard Time=Asia/Hovd
West Asia Standard Time=Asia/Tashkent
West Bank Standard Time=Asia/Hebron
West Pacific Standard Time=Pacific/Port_Moresby
Yakutsk Standard Time=Asia/Yakutsk
Yukon Standard Time=America/Whitehorse
`
    .trim()
    .split("\n")
    .map((line) => line.split("=") as [string, string]),
);
