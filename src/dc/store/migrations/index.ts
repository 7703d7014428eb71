import type { Dialect } from "../dialect.ts";
import { audit } from "./audit.ts";
import { changeFeed } from "./change_feed.ts";
import { cords } from "./cords.ts";
import { dataPorts } from "./data_ports.ts";
import { documents } from "./documents.ts";
import { liquid } from "./liquid.ts";
import { search } from "./search.ts";
import { start } from "./start.ts";

/** One step of the schema: its name and its statements in a dialect. Once released, a step never changes. */
export interface Migration {
  readonly name: string;
  readonly statements: (dialect: Dialect) => readonly string[];
}

/** Every step, oldest first; the database remembers how many it has. */
export const migrations: readonly Migration[] = [
  { name: "start", statements: start },
  { name: "change feed", statements: changeFeed },
  { name: "search", statements: search },
  { name: "cords and free ports", statements: cords },
  { name: "documents", statements: documents },
  { name: "audit head and checkpoints", statements: audit },
  { name: "liquid cooling units", statements: liquid },
  { name: "free data ports", statements: dataPorts },
];
