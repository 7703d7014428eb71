/** A spec of the demonstration: the arguments of `planner add`, and whether an agent starts on it immediately. */
export interface DemoSpec {
  /** Title, criterion and check: what `npm run example` shows. */
  readonly words: readonly string[];
  readonly details: readonly string[];
  /** Index of the spec that this one depends on. */
  readonly dependsOnIndex?: number;
  readonly startsImmediately: boolean;
}

function describeSpec(title: string, criterion: string, check: string): readonly string[] {
  return [title, "--criterion", criterion, "--verify", `sh checks.sh ${check}`];
}

export const DEMO_SPECS: readonly DemoSpec[] = [
  {
    startsImmediately: true,
    words: describeSpec("Refuse links without a host", "http:///path is refused", "host"),
    details: ["--label", "links", "--priority", "high", "--target-file", "host.sh"],
  },
  {
    startsImmediately: true,
    words: describeSpec("Count the visits of a link", "Two visits are counted as 2", "visits"),
    details: ["--label", "visits", "--target-file", "visits.sh"],
  },
  {
    startsImmediately: false,
    dependsOnIndex: 1,
    words: describeSpec("Show the most visited links", "The most visited link comes first", "top"),
    details: ["--label", "visits", "--target-file", "top.sh"],
  },
  {
    startsImmediately: false,
    words: describeSpec("Print a link as a QR code", "The code is printed", "qr"),
    details: ["--label", "links", "--priority", "low", "--target-file", "qr.sh"],
  },
];

/**
 * Script of the demonstration's agent: it waits some seconds, commits a file and ticks its criterion. What it writes first
 * for the visits is wrong; it corrects that when the work comes back.
 */
const AGENT_SCRIPT = `#!/bin/sh
# A script in the place of a coding agent. It reads its prompt and its spec, and writes a file.
set -eu
pause="\${PLANNER_DEMO_PAUSE:-2}"
say() { echo "$1"; sleep "$pause"; }
prompt=$(cat)
title=$(sed -n 's/^# //p' "$PLANNER_SPEC_FILE" | head -n 1)
say "I read the spec: $title"
case $title in
  *host*) file=host.sh; code='check_host() { case $1 in http:///*) return 1 ;; esac; }' ;;
  *"Count the visits"*) file=visits.sh; code='count_visits() { echo 1; }'
    case $prompt in *"An earlier run"*)
      say "I read why it came back"; code='count_visits() { printf "%s\\n" "$@" | grep -c .; }' ;;
    esac ;;
  *"most visited"*) file=top.sh; code='top_links() { sort -k 2 -n -r; }' ;;
  *) file=qr.sh; code='print_qr() { printf "##  ##\\n##  ##\\n"; }' ;;
esac
say "I write $file"
printf '%s\\n' "$code" > "$file"
git add "$file"
git commit -q --allow-empty -m "planner($PLANNER_SPEC_ID): write $file"
say "I tick the criterion"
sed 's/- \\[ \\]/- [x]/' "$PLANNER_SPEC_FILE" > "$PLANNER_SPEC_FILE.tmp"
mv "$PLANNER_SPEC_FILE.tmp" "$PLANNER_SPEC_FILE"
echo "$file is done"
`;

const CHECKS_SCRIPT = `#!/bin/sh
# The checks that the criteria of the specs name.
set -eu
case $1 in
  host) . ./host.sh; check_host http://a.example/; ! check_host http:///path ;;
  visits) . ./visits.sh; count=$(count_visits one two)
    [ "$count" -eq 2 ] || { echo "two visits are counted as $count"; exit 1; } ;;
  top) . ./top.sh; [ "$(printf 'a 1\\nb 2\\n' | top_links | head -n 1)" = "b 2" ] ;;
  qr) . ./qr.sh; print_qr | grep -q '##' ;;
esac
`;

/** Files of the demonstration's project, by path. */
export const DEMO_FILES: Readonly<Record<string, string>> = {
  "README.md": "# Short links\n\nA sample project of planner.\n",
  "agent.sh": AGENT_SCRIPT,
  "checks.sh": CHECKS_SCRIPT,
};

/** Settings that are added to those of `planner init`. */
export const DEMO_PROVIDER = "providers: {command: {command: sh, args: [agent.sh], prompt_via: stdin}}\n";
