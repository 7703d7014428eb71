import type { Dialect } from "../sql/dialect.ts";
import { audit } from "./audit.ts";
import { changeFeed } from "./change_feed.ts";
import { cords } from "./cords.ts";
import { dataPorts } from "./data_ports.ts";
import { documents } from "./documents.ts";
import { liquid } from "./liquid.ts";
import { readings } from "./readings.ts";
import { search } from "./search.ts";
import { start } from "./start.ts";

/** One step of the schema: its name and its statements in a dialect. Once released, a step never changes. */
export interface Migration {
  readonly name: string;
  /** The first version of the program that takes it. */
  readonly since: string;
  readonly statements: (dialect: Dialect) => readonly string[];
}

/** Every step, oldest first; the database remembers how many it has. */
export const migrations: readonly Migration[] = [
  { name: "start", since: "0.1.0", statements: start },
  { name: "change feed", since: "0.1.0", statements: changeFeed },
  { name: "search", since: "0.1.0", statements: search },
  { name: "cords and free ports", since: "0.1.0", statements: cords },
  { name: "documents", since: "0.2.0", statements: documents },
  { name: "audit head and checkpoints", since: "0.2.0", statements: audit },
  { name: "liquid cooling units", since: "0.2.0", statements: liquid },
  { name: "free data ports", since: "0.2.0", statements: dataPorts },
  { name: "readings", since: "0.3.0", statements: readings },
];
