import { execFileSync } from "node:child_process";
import pg from "pg";
import { startOwnDatabase } from "../crash/database.ts";
import { crash } from "../crash/rounds.ts";
import { engines } from "../support/engines.ts";
import { journeys } from "./journeys.ts";

/**
 * Makes PostgreSQL behave like a distributed engine in every database created later. All transactions are serializable,
 * so some fail with 40001. A session takes sequence numbers in advance, so numbers do not rise with time. Advisory
 * locks lock nothing, and notifications reach nobody.
 */
const played = `
  create function public.pg_advisory_xact_lock(bigint) returns void language sql as '';
  create function public.pg_notify(text, text) returns void language sql as '';
  create function take_numbers_in_advance() returns event_trigger language plpgsql as $$
    declare made record;
    begin
      for made in
        select sequencename from pg_sequences where schemaname = 'public' and cache_size = 1
      loop
        execute format('alter sequence public.%I cache 20', made.sequencename);
      end loop;
    end $$;
  create event trigger take_numbers_in_advance on ddl_command_end when tag in ('CREATE TABLE')
    execute function take_numbers_in_advance();
  alter role current_user set default_transaction_isolation = serializable;
  alter role current_user set search_path = public, pg_catalog`;

/** An old store that is upgraded, and all rules of retention. */
const testFiles = ["test/kept-stores.test.ts", "test/retention.test.ts"];

/** Returns what was measured. */
export async function distributedTrial({ rounds }: { rounds: number }): Promise<object> {
  const { url, stop } = await startOwnDatabase();
  try {
    const template = new pg.Client({ connectionString: url.replace(/[^/]*$/, "template1") });
    await template.connect();
    await template.query(played).finally(() => template.end());
    process.env.DUBA_TEST_POSTGRES_URL = url;
    const engine = engines.find(({ name }) => name === "postgres")!;
    const journey = await journeys(engine, 2_000);
    const { kills, vendorCalls, verified } = await crash({ engine, vendor: "peer", rounds, seed: "distributed" });
    execFileSync(process.execPath, ["--test", "--test-reporter=dot", ...testFiles], { stdio: "inherit" });
    return { ...journey, rounds, kills, vendorCalls, verified };
  } finally {
    await stop();
  }
}
