import { openMemory } from "#dc/store/memory_store.ts";
import { openTemporaryPostgres, openTemporarySqlite } from "../support/dc/stores.ts";
import { dcStoreContract } from "./dc_store.ts";

dcStoreContract("memory", async () => openMemory());
dcStoreContract("sqlite", openTemporarySqlite);
dcStoreContract("postgres", openTemporaryPostgres);
