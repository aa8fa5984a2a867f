import "reflect-metadata";
import { Controller, Get, Module, Query } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { address, bundlesOf, corporateBundles } from "./catalogue.mjs";

/**
 * Runs on the adapter that the argument names: express or fastify. Decorators are called as compiled TypeScript calls
 * them.
 */
class LookUps {
  bundles(provider) {
    return bundlesOf(provider);
  }

  corporate() {
    return corporateBundles();
  }
}

const decorate = (decorator, method) =>
  decorator(LookUps.prototype, method, Object.getOwnPropertyDescriptor(LookUps.prototype, method));
Query("provider")(LookUps.prototype, "bundles", 0);
decorate(Get("internet/data/lookup"), "bundles");
decorate(Get("corporate-data/list"), "corporate");
Controller("api/v2")(LookUps);

class App {}
Module({ controllers: [LookUps] })(App);

const adapter =
  process.argv[2] === "fastify"
    ? new (await import("@nestjs/platform-fastify")).FastifyAdapter()
    : new (await import("@nestjs/platform-express")).ExpressAdapter();
const app = await NestFactory.create(App, adapter, { logger: false });
await app.listen(address.port, address.host);
