import assert from "node:assert/strict";
import type { Catalogue } from "../../src/catalogue/catalogue.ts";
import { catalogueOperations } from "../../src/catalogue/operations/index.ts";
import { bind, type Caller } from "../../src/declare/operation.ts";
import { listCatalogueChanges } from "../../src/features/change-feed/listCatalogueChanges.ts";
import type { HttpDependencies } from "../../src/http/dependencies.ts";
import { plainHttp } from "../../src/http/server.fixture.ts";
import { buildServer } from "../../src/http/server.ts";

/** Serves only the catalogue's operations and the list of its changes. A caller's credential is an account id. */
export function catalogueServer(catalogue: Catalogue) {
  return buildServer(bind([...catalogueOperations, listCatalogueChanges], catalogue), http);
}

const http: HttpDependencies = {
  ...plainHttp(),
  authenticator: {
    credentialOf: (header) =>
      ({ accountId: header.slice(7), mode: "live", scopes: ["catalogue:read"] }) as unknown as Caller,
  },
  accessLog: "failures",
  log: { info: fail, warn: fail, error: fail },
};

function fail(fields: object, message: string): void {
  assert.fail(`${message} ${JSON.stringify(fields)}`);
}
