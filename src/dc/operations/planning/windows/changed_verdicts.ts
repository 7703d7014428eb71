import { WINDOW_IMPACTS, WINDOW_VERDICTS } from "#dc/model/enum_values.ts";
import { codeKey, compareText } from "#dc/model/ref.ts";
import type { ListedWindow as Listed } from "#gen/datacenter/v1/messages.ts";
import type { ListedWindow } from "#gen/datacenter/v1/windows_pb.ts";

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
