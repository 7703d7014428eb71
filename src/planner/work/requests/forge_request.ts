import { isJsonObject } from "#kernel/json_object.ts";
import type { Forge } from "../../config/config_values.ts";
import { parseFullHash } from "../records/read_record.ts";

export interface ForgeRequest {
  readonly number: number;
  readonly url: string;
  readonly state: "open" | "closed" | "merged";
  /** Full hash of the request's last commit. */
  readonly head: string;
  /** Full hash of the base branch's commit with the work; null if not merged, or not reported by the forge. */
  readonly merged: string | null;
  /** Branch into which the request is merged. */
  readonly base: string;
  readonly body: string;
}

type RequestFields = Readonly<Record<string, unknown>>;

/** Parsers of each forge's fields. */
const FIELD_PARSERS: Readonly<Record<Forge, (fields: RequestFields) => Partial<ForgeRequest>>> = {
  github: parseGithubFields,
  gitlab: parseGitlabFields,
};

/** Parses a request, or throws an Error that names the missing field. */
export function parseRequest(forge: Forge, value: unknown): ForgeRequest {
  if (!isJsonObject(value)) throw new Error("expected an object");
  const { number, url, state, head, merged = null, base, body = "" } = FIELD_PARSERS[forge](value);
  if (number === undefined || url === undefined || state === undefined || head === undefined || base === undefined) {
    const missing = Object.entries({ number, url, state, head, base }).flatMap(([name, field]) =>
      field === undefined ? [name] : [],
    );
    throw new Error(`expected the ${missing.join(", ")} of a request`);
  }
  return { number, url, state, head, merged, base, body };
}

function parseGithubFields(fields: RequestFields): Partial<ForgeRequest> {
  const [head, base] = [fields["head"], fields["base"]].map((one) => (isJsonObject(one) ? one : {}));
  const merged = typeof fields["merged_at"] === "string" || fields["merged"] === true;
  return {
    ...buildDefinedField("number", parsePositiveInteger(fields["number"])),
    ...buildDefinedField("url", parseWebAddress(fields["html_url"])),
    ...buildDefinedField("state", merged ? "merged" : GITHUB_STATES[String(fields["state"])]),
    ...buildDefinedField("head", parseFullHash(head?.["sha"]) ?? undefined),
    // Before the merge this field contains a trial merge commit of the forge.
    merged: merged ? parseFullHash(fields["merge_commit_sha"]) : null,
    ...buildDefinedField("base", parseText(base?.["ref"])),
    body: parseText(fields["body"]) ?? "",
  };
}

const GITHUB_STATES: Readonly<Record<string, ForgeRequest["state"]>> = { open: "open", closed: "closed" };

function parseGitlabFields(fields: RequestFields): Partial<ForgeRequest> {
  const state = GITLAB_STATES[String(fields["state"])];
  const head = parseFullHash(fields["sha"]) ?? undefined;
  const commits = [fields["merge_commit_sha"], fields["squash_commit_sha"], fields["sha"]].map(parseFullHash);
  return {
    ...buildDefinedField("number", parsePositiveInteger(fields["iid"])),
    ...buildDefinedField("url", parseWebAddress(fields["web_url"])),
    ...buildDefinedField("state", state),
    ...buildDefinedField("head", head),
    merged: state === "merged" ? (commits.find((hash) => hash !== null) ?? null) : null,
    ...buildDefinedField("base", parseText(fields["target_branch"])),
    body: parseText(fields["description"]) ?? "",
  };
}

const GITLAB_STATES: Readonly<Record<string, ForgeRequest["state"]>> = {
  opened: "open",
  // A request is locked briefly while it is merged.
  locked: "open",
  closed: "closed",
  merged: "merged",
};

function buildDefinedField<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, Value>);
}

function parsePositiveInteger(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
}

function parseText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns an address only if a browser opens it as a web page, because people click on it. */
function parseWebAddress(value: unknown): string | undefined {
  return typeof value === "string" && /^https?:\/\/[^\s\p{Cc}"<>]+$/u.test(value) ? value : undefined;
}
