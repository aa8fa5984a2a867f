import express from "express";
import { address, bundlesOf, corporateBundles } from "./catalogue.mjs";

const app = express();
app.get("/api/v2/internet/data/lookup", (request, response) => response.json(bundlesOf(request.query.provider)));
app.get("/api/v2/corporate-data/list", (_request, response) => response.json(corporateBundles()));
app.listen(address.port, address.host);
