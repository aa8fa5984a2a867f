import type { Migration, MigrationProvider } from "kysely/migration";
import * as start from "./0001_start.ts";
import * as verificationOwners from "./0002_verification_owners.ts";
import * as catalogueRevisions from "./0003_catalogue_revisions.ts";
import * as journal from "./0004_journal.ts";
import * as accountTerms from "./0005_account_terms.ts";
import * as upstreamStatus from "./0006_upstream_status.ts";
import * as recordKeys from "./0007_record_keys.ts";
import * as verificationTrail from "./0008_verification_trail.ts";
import * as catalogueSources from "./0009_catalogue_sources.ts";

/** Every migration by name, in the order of the names. A released one is never edited: a change is a new file and line. */
export const migrations: Record<string, Migration> = {
  "0001_start": start,
  "0002_verification_owners": verificationOwners,
  "0003_catalogue_revisions": catalogueRevisions,
  "0004_journal": journal,
  "0005_account_terms": accountTerms,
  "0006_upstream_status": upstreamStatus,
  "0007_record_keys": recordKeys,
  "0008_verification_trail": verificationTrail,
  "0009_catalogue_sources": catalogueSources,
};

export const migrationProvider: MigrationProvider = {
  getMigrations: async () => migrations,
};
