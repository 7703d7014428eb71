/** Verbs that begin an instruction in a list item. */
export const IMPERATIVE_VERBS: ReadonlySet<string> = new Set([
  ..."add allow answer apply ask assert build cache call change check clean close collect compare".split(" "),
  ..."compute configure connect convert copy count cover create cut declare define delete deploy".split(" "),
  ..."derive describe detect disable display document drop emit enable ensure escape expose extend".split(" "),
  ..."extract fail fetch fill find fix follow format generate give guard handle hide implement".split(" "),
  ..."import include index initialise initialize insert install introduce keep leave limit link".split(" "),
  ..."list listen load lock log make map mark measure merge migrate move name normalise normalize".split(" "),
  ..."open order parse pass persist pin place prevent print process produce prove provide publish".split(" "),
  ..."put raise read record redirect reduce refactor refuse register reject release remove rename".split(" "),
  ..."render replace report reset resolve respond restore retry return reuse revert rewrite route".split(" "),
  ..."run save scan send serve set show skip sort specify split start state stop store stream strip".split(" "),
  ..."support switch tell test throw trace track trim turn update upgrade use validate verify wait".split(" "),
  ..."warn wrap write".split(" "),
]);

const VAGUE = [
  ..."and related, and so on, as appropriate, as needed, as necessary, better, clean up, etc, fairly".split(", "),
  ..."if possible, improve, maybe, miscellaneous, nicer, or similar, perhaps, properly, similar".split(", "),
  ..."some kind of, somehow, sometimes, stuff, things, various, where appropriate".split(", "),
];

export const VAGUE_PHRASE_PATTERN: RegExp = new RegExp(String.raw`\b(?:${VAGUE.join("|")})\b`, "g");

/** Phrases, in lower case, that indicate that the work cannot be divided. */
export const COUPLING_PHRASES: readonly string[] = [
  ..."all at once, at the same time, cannot be separated, cannot be split, depend on each other".split(", "),
  ..."hand in hand, in lockstep, in one go, must be done together, simultaneously, tightly coupled".split(", "),
];
