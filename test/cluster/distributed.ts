import pg from "pg";
import { crash } from "../crash/rounds.ts";
import { type Engine, engines, type Fresh } from "../support/engines.ts";
import { journeys } from "./journeys.ts";

/**
 * PostgreSQL as an engine that spreads a database over machines plays it: every transaction is serializable, so some
 * are refused with 40001; a session takes numbers of sequences in advance, so they do not rise with time; locks that no
 * row has lock nothing; and nobody is notified.
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
  do $$ begin
    execute format('alter database %I set default_transaction_isolation = serializable', current_database());
    execute format('alter database %I set search_path = public, pg_catalog', current_database());
  end $$`;

async function distributed(): Promise<Fresh> {
  const fresh = await engines.find(({ name }) => name === "postgres")!.fresh();
  const client = new pg.Client({ connectionString: fresh.settings.databaseUrl! });
  await client.connect();
  await client.query(played);
  await client.end();
  return fresh;
}

const engine: Engine = { name: "postgres", fresh: distributed, ready: distributed };

/** Returns what was measured. */
export async function distributedTrial({ rounds }: { rounds: number }): Promise<object> {
  const journey = await journeys(engine, 2_000);
  const { kills, vendorCalls, verified } = await crash({ engine, vendor: "peer", rounds, seed: "distributed" });
  return { ...journey, rounds, kills, vendorCalls, verified };
}
