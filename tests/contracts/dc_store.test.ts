import { openMemory } from "../support/dc/memory/store.ts";
import { openTemporaryPostgres, openTemporarySqlite } from "../support/dc/stores.ts";
import { dcStoreContract } from "./dc_store.ts";

dcStoreContract("memory", async () => openMemory());
dcStoreContract("sqlite", openTemporarySqlite);
dcStoreContract("postgres", openTemporaryPostgres);
