import assert from "node:assert/strict";
import { afterEach, beforeEach, mock } from "node:test";
import type { KyselyPlugin } from "kysely";
import type { Engine } from "../../test/support/engines.ts";
import { withSuiteStore } from "../../test/support/fresh-store.ts";
import { Failure, type FailureCode } from "../declare/failures.ts";
import type { Limit } from "../runtime/rate-limiter.ts";
import type { Store } from "../storage/store.ts";
import { recorded } from "./access.fixture.ts";
import { type Account, createAccount } from "./accounts/accounts.ts";
import { Credentials } from "./authenticator.ts";
import { firstStart } from "./bootstrap.ts";
import { FailedCredentials } from "./failed-credentials.ts";
import { createKey } from "./keys/keys.ts";
import { newAccessToken } from "./secrets.ts";

export const here = "203.0.113.7";
export const bootstrap = "duba_test_bootstrap-for-tests";

export const failsAs =
  (code: FailureCode, message = /./) =>
  (error: unknown) =>
    error instanceof Failure && error.code === code && message.test(error.message);

/**
 * Credentials over the store of one suite, whose statements are counted; new for each test. Registers the suite's
 * hooks.
 */
export class SuiteCredentials {
  store!: Store;
  account!: Account;
  credentials!: Credentials;
  /** How many statements were sent to the store, and how many returned. */
  asked = 0;
  answered = 0;
  outOfReach = false;
  time = 1_000_000;

  constructor(engine: Engine) {
    withSuiteStore(engine, async (store) => {
      this.store = store;
      this.account = await createAccount(recorded(this.store.db), { name: "Acme", email: "acme@example.com" });
      await firstStart(recorded(this.store.db), bootstrap);
    });
    beforeEach(async () => {
      this.credentials = this.open();
      await this.credentials.refresh();
      this.asked = 0;
    });
    afterEach(() => {
      mock.timers.reset();
      this.outOfReach = false;
    });
  }

  open(failedLimit: Limit = { count: 1000, seconds: 60 }): Credentials {
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => {
        this.asked += 1;
        if (this.outOfReach) throw new Error("out of reach");
        return node;
      },
      transformResult: async ({ result }) => {
        this.answered += 1;
        return result;
      },
    };
    const db = this.store.db.withPlugin(counting);
    const failed = new FailedCredentials(failedLimit);
    return new Credentials({ db, uses: { note() {} }, failed, now: () => this.time });
  }

  create(more: object = {}) {
    const key = { account: this.account.id, mode: "live", label: "", ...more } as const;
    return createKey(recorded(this.store.db), key, this.time);
  }

  /** Exchanges the key for an access token. */
  async buy(keyId: string, expiresAt: number): Promise<string> {
    const { text, hash } = newAccessToken();
    const row = { secret_hash: hash, key_id: keyId, created_at: this.time, expires_at: expiresAt };
    await this.store.db.insertInto("access_token").values(row).execute();
    return text;
  }

  refused(header: string, code: FailureCode, message = /./, address = here): Promise<void> {
    return assert.rejects(async () => this.credentials.credentialOf(header, address), failsAs(code, message));
  }
}
