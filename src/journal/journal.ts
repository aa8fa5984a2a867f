import type { Kysely } from "kysely";
import type { Audit } from "../storage/audit.ts";
import { codeOf } from "../storage/fault.ts";
import type { Tables } from "../storage/tables.ts";
import { append } from "./append.ts";
import { JournalFault } from "./head.ts";
import { removeOld } from "./retention.ts";
import { signer } from "./seal.ts";
import { seal } from "./sealer.ts";

const sealEvery = 1000;
const removeEvery = 3_600_000;

export interface JournalLog {
  error(fields: object, message: string): void;
}

export interface JournalParts {
  db: Kysely<Tables>;
  /** The same for every process and every start on this store: with another key no earlier seal is known again. */
  sealKey: Buffer;
  /** How long entries are kept. */
  retentionMonths?: number;
  log: JournalLog;
}

export interface Journal {
  append: Audit;
  /** Seals what is left; resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/** The audit trail of a process that serves: seals each second what was appended by any process, and enforces retention. */
export function openJournal({ db, sealKey, retentionMonths = 24, log }: JournalParts): Journal {
  const sign = signer(sealKey);
  const sealing = repeat(sealEvery, "sealed", log, () => seal(db, sign));
  const removing = repeat(removeEvery, "shortened", log, () => {
    const oldest = new Date();
    oldest.setUTCMonth(oldest.getUTCMonth() - retentionMonths);
    return removeOld(db, sign, oldest.getTime());
  });
  return {
    append,
    async stop() {
      await removing.stop();
      await sealing.stop();
      await sealing.once();
    },
  };
}

/** Does `work` again and again, never twice at once. A failure is logged when it is another than the last. */
function repeat(milliseconds: number, done: string, log: JournalLog, work: () => Promise<void>) {
  let running: Promise<void> | undefined;
  let failure: string | undefined;
  async function once(): Promise<void> {
    try {
      await work();
      failure = undefined;
    } catch (error) {
      const reason = error instanceof JournalFault ? error.message : (codeOf(error) ?? String(error));
      if (reason !== failure) log.error({ reason }, `The audit trail is not being ${done}; this is tried again`);
      failure = reason;
    }
  }
  const timer = setInterval(() => {
    running ??= once().finally(() => {
      running = undefined;
    });
  }, milliseconds);
  timer.unref();
  return {
    once,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
