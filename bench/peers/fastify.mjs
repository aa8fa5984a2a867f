import fastify from "fastify";
import { address, bundlesOf, corporateBundles } from "./catalogue.mjs";

const app = fastify();
app.get("/api/v2/internet/data/lookup", async (request) => bundlesOf(request.query.provider));
app.get("/api/v2/corporate-data/list", async () => corporateBundles());
await app.listen(address);
