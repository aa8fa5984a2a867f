import type { Log } from "../../runtime/log.ts";
import { codeOf } from "../../storage/errors.ts";
import type { Db } from "../../storage/tables.ts";
import { append } from "../append.ts";
import { AuditTrailError, type Head, readHead } from "../chain/head.ts";
import type { Sign } from "../chain/seal.ts";
import { ownTrail } from "../own-trail.ts";
import { compareWithAnchor, readAnchor, writeAnchor } from "./anchor.ts";

export interface AnchorKeeperParts {
  db: Db;
  sign: Sign;
  path: string;
  log: Log;
}

/** Writes the trail's newest head to a file. It never replaces a head that the trail no longer contains. */
export class AnchorKeeper {
  readonly #parts: AnchorKeeperParts;
  #problem: string | undefined;
  #unwritten: string | undefined;
  #logged = 0;

  constructor(parts: AnchorKeeperParts) {
    this.#parts = parts;
  }

  /** Whether the trail lacks the head that the anchor names, or one of them cannot be trusted. */
  get alarm(): boolean {
    return this.#problem !== undefined;
  }

  /** Compares the trail with the anchor, then moves the anchor to the newest head. Throws only the store's errors. */
  async move(): Promise<void> {
    const { db, sign, path, log } = this.#parts;
    try {
      const anchor = await readAnchor(path, sign);
      // The head is read after the anchor, because another process may move both meanwhile.
      const head = await readHead(db, sign);
      if (head === undefined)
        throw new AuditTrailError("The head of the audit trail is missing, was changed, or is of another key.");
      if (anchor !== undefined) await compareWithAnchor(db, head, anchor, path);
      this.#problem = undefined;
      if (anchor?.batch !== head.batch) await this.#write(head, anchor === undefined);
      this.#logHead(head);
    } catch (error) {
      if (!(error instanceof AuditTrailError)) throw error;
      if (error.message !== this.#problem)
        log.error({ reason: error.message }, "The audit trail is not what its anchor names; its anchor stays");
      this.#problem = error.message;
    }
  }

  async #write(head: Head, isNew: boolean): Promise<void> {
    const { db, sign, path, log } = this.#parts;
    try {
      await writeAnchor(path, sign, head);
      this.#unwritten = undefined;
    } catch (error) {
      const reason = codeOf(error) ?? String(error);
      if (reason !== this.#unwritten)
        log.warn(
          { path, reason },
          "The audit trail's anchor cannot be written; the service goes on without a newer one, " +
            "and an older state of the trail is not noticed",
        );
      this.#unwritten = reason;
      return;
    }
    if (!isNew || head.batch === 0) return;
    // A person who removes the anchor to hide an old trail causes this log line and this audit entry.
    log.warn(
      { path, batch: head.batch },
      "The audit trail has no anchor, although it is not new: if there was one, somebody removed it, " +
        "and this may be an older state; a new anchor is made",
    );
    await append(db, ownTrail.anchored("system", { batch: head.batch }));
  }

  #logHead({ batch, hash }: Head): void {
    if (batch === 0 || batch === this.#logged) return;
    this.#logged = batch;
    this.#parts.log.info({ head: `${batch}:${hash}` }, "The audit trail's newest head");
  }
}
