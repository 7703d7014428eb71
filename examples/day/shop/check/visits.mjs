import { visit } from "../src/visits.mjs";

if (visit("a") !== 1 || visit("a") !== 2 || visit("b") !== 1) process.exit(1);
