/** A spec of the demonstration: the arguments of `planner add`, and whether an agent starts on it immediately. */
export interface DemoSpec {
  readonly words: readonly string[];
  /** Index of the spec that this one depends on. */
  readonly dependsOnIndex?: number;
  readonly startsImmediately: boolean;
}

const createCheckCommand = (name: string): string => `sh checks.sh ${name}`;

export const DEMO_SPECS: readonly DemoSpec[] = [
  {
    startsImmediately: true,
    words: [
      ...["Refuse links without a host", "--label", "links", "--priority", "high", "--target-file", "host.sh"],
      ...["--criterion", "`http:///path` is refused", "--verify", createCheckCommand("host")],
    ],
  },
  {
    startsImmediately: true,
    words: [
      ...["Count the visits of a link", "--label", "visits", "--target-file", "visits.sh"],
      ...["--criterion", "Two visits are counted as 2", "--verify", createCheckCommand("visits")],
    ],
  },
  {
    startsImmediately: true,
    words: [
      ...["Let links expire after a year", "--label", "links", "--target-file", "expiry.sh"],
      ...["--criterion", "A link of 400 days is refused", "--verify", createCheckCommand("expiry")],
      ...["--body", "The agent of this demonstration claims to have done this one. Its check says otherwise."],
    ],
  },
  {
    startsImmediately: false,
    dependsOnIndex: 1,
    words: [
      ...["Show the most visited links", "--label", "visits", "--target-file", "top.sh"],
      ...["--criterion", "The most visited link comes first", "--verify", createCheckCommand("top")],
    ],
  },
  {
    startsImmediately: false,
    words: [
      ...["Print a link as a QR code", "--label", "links", "--priority", "low", "--target-file", "qr.sh"],
      ...["--criterion", "The code is printed", "--verify", createCheckCommand("qr")],
    ],
  },
];

/** Script of the demonstration's agent: it waits some seconds, commits a file and checks its criterion. */
const AGENT_SCRIPT = `#!/bin/sh
# A script in the place of a coding agent. It reads its spec and writes the file that the spec names.
set -eu
pause="\${PLANNER_DEMO_PAUSE:-2}"
say() { echo "$1"; sleep "$pause"; }
title=$(sed -n 's/^# //p' "$PLANNER_SPEC_FILE" | head -n 1)
say "I read the spec: $title"
case $title in
  *host*) file=host.sh; code='check_host() { case $1 in http:///*) return 1 ;; esac; }' ;;
  *"Count the visits"*) file=visits.sh; code='count_visits() { printf "%s\\n" "$@" | wc -l; }' ;;
  *expire*) file=expiry.sh; code='is_expired() { [ "$1" -gt 1000 ]; }' ;;
  *"most visited"*) file=top.sh; code='top_links() { sort -k 2 -n -r; }' ;;
  *) file=qr.sh; code='print_qr() { printf "##  ##\\n##  ##\\n"; }' ;;
esac
say "I write $file"
printf '%s\\n' "$code" > "$file"
git add "$file"
git commit -q -m "planner($PLANNER_SPEC_ID): write $file"
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
  visits) . ./visits.sh; [ "$(count_visits one two)" -eq 2 ] ;;
  expiry) . ./expiry.sh; is_expired 400 ;;
  top) . ./top.sh; [ "$(printf 'a 1\\nb 2\\n' | top_links | head -n 1)" = "b 2" ] ;;
  qr) . ./qr.sh; print_qr | grep -q '##' ;;
esac
`;

/** Files of the demonstration's project, by path. */
export const DEMO_FILES: Readonly<Record<string, string>> = {
  "README.md": "# Short links\n\nThe project of `planner demo`.\n",
  "agent.sh": AGENT_SCRIPT,
  "checks.sh": CHECKS_SCRIPT,
};

/** Settings that are added to those of `planner init`. */
export const DEMO_PROVIDER = "providers:\n  command:\n    command: sh\n    args: [agent.sh]\n";
