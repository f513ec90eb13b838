/* Made from /openapi.json by: UPDATE_CLIENT=1 npm test -- clients/typescript/src/schema */
export interface paths {
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The OpenAPI document. */
        get: operations["get_openapi_json"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Liveness check: the process is running. */
        get: operations["get_health_live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Readiness check: database, schema and a data release are available. */
        get: operations["get_health_ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics of this process and of the whole service, for Prometheus. */
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/age_gender": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Age and gender of many first names. results[i] answers queries[i]. */
        post: operations["post_enrich_v1_age_gender"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/age_gender/name/{name}/date/{date}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Gender and age distribution of one first name at a date, as a page; also as JSON, SVG and CSV. */
        get: operations["get_enrich_v1_age_gender_name_name_date_date"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/ethnicity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ethnicity of many surnames. results[i] answers queries[i]. */
        post: operations["post_enrich_v1_ethnicity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/ethnicity/surname/{surname}/year/{year}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ethnicity of one surname; with a format also as a page or a picture. */
        get: operations["get_enrich_v1_ethnicity_surname_surname_year_year"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/contributions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** All fields of many contributions. results[i] answers queries[i]. */
        post: operations["post_enrich_v1_contributions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This key's batches, the newest first. */
        get: operations["get_enrich_v1_batches"];
        put?: never;
        /** Sends a file or a list of queries as a batch. CSV and NDJSON are streamed, up to 2 GB uncompressed. */
        post: operations["post_enrich_v1_batches"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/batches/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** How a file is read: its columns, their mapping, and its first rows with results. Stores nothing. */
        post: operations["post_enrich_v1_batches_preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/batches/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancels a batch. Results of processed rows stay readable. */
        post: operations["post_enrich_v1_batches_id_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/batches/{id}/repeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Enriches the stored rows of a completed batch again, as another batch, without the file. Options that are not given stay as they were; min_age and age_basis are replaced together. */
        post: operations["post_enrich_v1_batches_id_repeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Progress of a batch: as JSON, as a page, or as server-sent events until it ends. */
        get: operations["get_enrich_v1_batches_id"];
        put?: never;
        post?: never;
        /** Erases a batch: input, results and counts, now. */
        delete: operations["delete_enrich_v1_batches_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/batches/{id}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The results of a batch: your columns unchanged, with the added columns after them. */
        get: operations["get_enrich_v1_batches_id_results"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/batches/{id}/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The rows without a result: row number, code, message and the row as it was sent. */
        get: operations["get_enrich_v1_batches_id_errors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/batches/{id}/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A finished batch in numbers: ages, gender, ethnicity, places, incomes and how many rows have a value. */
        get: operations["get_enrich_v1_batches_id_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/enrich/v1/webhook-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The secret with which messages about batches of this key are signed, after Standard Webhooks. */
        get: operations["get_enrich_v1_webhook_secret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/data-charts/v1/age_distribution/committee": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Donors, contributions and money of committees by age of the donor. */
        get: operations["get_data_charts_v1_age_distribution_committee"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/data-charts/v1/cumulative_donors/candidate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Cumulative number of donors of candidates, day by day. */
        get: operations["get_data_charts_v1_cumulative_donors_candidate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/data-charts/v1/breakdown/candidate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Donors, contributions and money of candidates by the donors' gender, age, ethnicity, state, county income, occupation or employer. */
        get: operations["get_data_charts_v1_breakdown_candidate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/data-charts/v1/donor_size/candidate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Donors, contributions and money of candidates by what a donor gave in the cycle. */
        get: operations["get_data_charts_v1_donor_size_candidate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/data-charts/v1/retention/candidate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Donors of candidates, or of the presidential field of a party, who are new, return and give again. */
        get: operations["get_data_charts_v1_retention_candidate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/data-charts/v1/overlap/candidate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Donors whom two candidates for the same office share in a cycle. */
        get: operations["get_data_charts_v1_overlap_candidate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/data-charts/v1/candidate/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Candidates by parts of their names. */
        get: operations["get_data_charts_v1_candidate_search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/data-charts/v1/committee/candidate/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Committees of candidates, by parts of the names of the candidates. */
        get: operations["get_data_charts_v1_committee_candidate_search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/data-charts/v1/contributions/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Contributions as filed, with what was estimated of the donor and how the row counts. Streamed at any size. */
        get: operations["get_data_charts_v1_contributions_search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/data-charts/v1/about": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Instructions: the files, working examples, columns, what is loaded, how it is counted, sources and limits. */
        get: operations["get_data_charts_v1_about"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The state of the whole service: queues and why they have stopped, processes, batches, geocoder, data, audit. */
        get: operations["get_ops"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Problem: {
            /** @description urn:donorlens:problem: and the code. */
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @enum {string} */
            code: "invalid-request" | "malformed-body" | "unreadable-batch" | "ambiguous-key" | "unauthorized" | "missing-scope" | "stale-form" | "not-found" | "method-not-allowed" | "request-timeout" | "batch-not-finished" | "idempotency-in-flight" | "no-donor-ages" | "wrong-state" | "no-geography" | "expired" | "body-too-large" | "too-many-queries" | "url-too-long" | "unsupported-media-type" | "unsupported-encoding" | "unknown-expectation" | "idempotency-mismatch" | "rate-limited" | "quota-exceeded" | "headers-too-large" | "internal" | "unavailable";
            /** @description The request's id, as in X-Request-Id; a 401 has none. */
            instance?: string;
            errors?: {
                /** @description JSON pointer into the body, /path/… or /query/… */
                pointer: string;
                detail: string;
            }[];
        } & {
            [key: string]: unknown;
        };
        AgeGenderQuery: {
            /**
             * Format: date
             * @description Reference date: the day of the donation.
             */
            date: string;
            /** @description First name. */
            name: string;
            /** @description Id of the client; returned with the result if it was sent. */
            id?: string;
        };
        AgeGenderResult: {
            /** @description Median age in completed years of the living bearers of the name. */
            age: number | null;
            gender: ("m" | "f") | null;
            /** @description Id of the client; returned with the result if it was sent. */
            id?: string;
            /** @description Share of the births of this name with this sex. */
            gender_probability?: number | null;
            /** @description Share of women among the living bearers of the name at the date, of at least min_age, or of adults for donors. */
            female_share_living?: number | null;
            /** @description Births of this name in the national records, all years. */
            sample_size?: number;
            age_q25?: number | null;
            age_q75?: number | null;
            /** @description The data release that gave the answer. */
            data_release?: string;
        };
        /**
         * @example {
         *       "id": "01890a5d-ac96-774b-bcce-b302099a8057",
         *       "type": "contributions",
         *       "state": "running",
         *       "counts": {
         *         "total": 10000,
         *         "done": 10000,
         *         "ok": 9570,
         *         "partial": 240,
         *         "not_found": 170,
         *         "invalid": 20,
         *         "failed": 0
         *       },
         *       "stages": {
         *         "enriched": {
         *           "done": 10000,
         *           "total": 10000
         *         },
         *         "geocoded": {
         *           "done": 9640,
         *           "total": 10000
         *         }
         *       },
         *       "addresses": {
         *         "match": 8900,
         *         "no_match": 200,
         *         "tie": 40,
         *         "skipped": 480,
         *         "pending": 360
         *       },
         *       "waits_for": "360 addresses pending, 1 call in progress",
         *       "progress": 0.982,
         *       "rows_per_second": 95,
         *       "eta_seconds": 4,
         *       "created_at": "2026-03-01T12:00:00.000Z",
         *       "started_at": "2026-03-01T12:00:00.400Z",
         *       "finished_at": null,
         *       "expires_at": "2026-03-08T12:00:00.000Z",
         *       "data_release": "2026-02-20.3fa9c1",
         *       "error": null,
         *       "links": {
         *         "self": "/enrich/v1/batches/01890a5d-ac96-774b-bcce-b302099a8057",
         *         "results": "/enrich/v1/batches/01890a5d-ac96-774b-bcce-b302099a8057/results",
         *         "partial": "/enrich/v1/batches/01890a5d-ac96-774b-bcce-b302099a8057/results?partial=true",
         *         "errors": "/enrich/v1/batches/01890a5d-ac96-774b-bcce-b302099a8057/errors",
         *         "cancel": "/enrich/v1/batches/01890a5d-ac96-774b-bcce-b302099a8057/cancel"
         *       }
         *     }
         */
        Batch: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            type: "age_gender" | "ethnicity" | "contributions";
            /** @enum {string} */
            state: "accepted" | "running" | "completed" | "cancelling" | "cancelled" | "expired" | "failed";
            /** @description Every row that is done has exactly one outcome. */
            counts: {
                total: number;
                done: number;
                ok: number;
                partial: number;
                not_found: number;
                invalid: number;
                failed: number;
            };
            /** @description Results of the first stage can be read before the second has ended, with ?partial=true. */
            stages: {
                /** @description Rows with ages, genders and ethnicities. */
                enriched: {
                    done: number;
                    total: number;
                };
                /** @description Rows that do not wait for an address; null if the type of the batch has no addresses. */
                geocoded: {
                    done: number;
                    total: number;
                } | null;
            };
            /** @description Rows of a contributions batch by GEOCODE_STATUS; late outcomes are counted after the batch has completed, too. */
            addresses: {
                match: number;
                no_match: number;
                tie: number;
                skipped: number;
                pending: number;
            };
            /** @description Why rows or pending addresses wait, as a text; null if nothing blocks them. */
            waits_for: string | null;
            /** @description Over both stages; 1 once the batch has completed. */
            progress: number;
            /** @description Rate of the current stage: rows enriched per second since the start of the batch, then rows geocoded per second over the last minute. Null if there is no progress, before a rate is known, and at the end. */
            rows_per_second: number | null;
            /** @description Seconds until both stages are done at that rate; 0 once the batch has ended. Null if it is unknown: without a rate, and while rows are enriched of which some wait for an address. */
            eta_seconds: number | null;
            created_at: string | null;
            started_at: string | null;
            finished_at: string | null;
            /** @description When the rows are erased; the counts stay. */
            expires_at: string | null;
            data_release: string;
            error: string | null;
            links: {
                self: string;
                results: string;
                /** @description The finished results, before the batch has ended. */
                partial: string;
                errors: string;
                cancel: string;
            };
        };
        EthnicityQuery: {
            surname: string;
            /** @description Year of the donation. Up to 2005 the 2000 Census is used, from 2006 on the 2010 Census, and from 2016 on the 2020 Census if the data release has its surnames. */
            year: number;
            /** @description Id of the client; returned with the result if it was sent. */
            id?: string;
        };
        EthnicityResult: {
            pct2prace: number | null;
            pctaian: number | null;
            pctapi: number | null;
            pctblack: number | null;
            pcthispanic: number | null;
            pctwhite: number | null;
            race: ("white" | "black" | "api" | "aian" | "2prace" | "hispanic") | null;
            /** @description As asked, to the character. */
            surname: string;
            /** @description Id of the client; returned with the result if it was sent. */
            id?: string;
            census?: 2000 | 2010 | 2020;
            /** @description The spelling found in the census file. */
            matched_surname?: string | null;
            /** @description Cells the census withholds: filled with equal shares of the rest. */
            suppressed?: string[];
            /** @description True where another group has the same share as the one named. */
            tie?: boolean;
            /** @description The data release that gave the answer. */
            data_release?: string;
        };
        ContributionQuery: {
            first_name?: string | null;
            last_name?: string | null;
            /** @description The whole name as filed: SMITH, JOHN A MR. Its parts are used where first_name and last_name are missing; its title, and that it names an organization or an estate, in any case. */
            name?: string | null;
            /** @description IND, ORG, COM, ... as filed. */
            entity_type?: string | null;
            /** @description House number and street. With city and state, or a ZIP, it gives county, tract and block; a post office box does not. */
            street?: string | null;
            /** @description Second line of the address. Used where the first is blank, a post office box or a care-of line. */
            street_2?: string | null;
            /** @description City as filed. */
            city?: string | null;
            /** @description Two letters, as filed. */
            state?: string | null;
            /** @description Five or nine digits, with or without a hyphen, as text. */
            zip?: string | null;
            /** @description Day of the donation, as yyyy-mm-dd or as the FEC writes it: 03012016, 2016-03-01T00:00:00, 3/1/2016. Without it there is no age. */
            date?: string | null;
            /** @description Year of the donation, for the ethnicity where the date is missing. */
            year?: (number | string) | null;
            /** @description County code of five digits, or four where the leading zero is lost, if you know it: gives county and income until the address has given its own. A code that no county has is left out. */
            fips?: string | null;
            /** @description Id of the client; returned with the result if it was sent. */
            id?: string;
        };
        ContributionResult: {
            age: number | null;
            gender: ("m" | "f") | null;
            ethnicity: ("white" | "black" | "api" | "aian" | "2prace" | "hispanic") | null;
            pct_white: number | null;
            pct_black: number | null;
            pct_api: number | null;
            pct_aian: number | null;
            pct_2prace: number | null;
            pct_hispanic: number | null;
            /** @description County of the address, else the one that you gave, without a street that of the ZIP: five digits. */
            fips: string | null;
            /** @description Its name. */
            county: string | null;
            /** @description Six digits. */
            tract_cd: string | null;
            /** @description Four digits. */
            block_cd: string | null;
            /** @description Median household income of the county in 2018, dollars a year. */
            hh_income_median: number | null;
            /** @description The same for all spellings of one address; null without a match. */
            address_id: string | null;
            /** @description MATCH; NO_MATCH; TIE: ambiguous, with a county only if all candidate addresses are in it; SKIPPED: not geocoded, because there is no street, or a post office box, or an address abroad or of the military; PENDING: not geocoded yet, unlike NO_MATCH. */
            geocode_status: ("MATCH" | "NO_MATCH" | "TIE" | "SKIPPED" | "PENDING") | null;
            /** @description With detail=true: a title (MR, MRS, …) decides the gender before the first name does. */
            gender_source?: ("title" | "name") | null;
            /** @description With detail=true: what says the county. */
            fips_source?: ("address" | "given" | "zip") | null;
            /** @description With detail=true: percent of the ZIP's people who live in a county by ZIP. */
            fips_share?: number | null;
            /** @description With ethnicity_basis=place: the area that ethnicity follows from beside the surname; surname: none is known. */
            ethnicity_basis?: ("tract" | "zcta" | "county" | "surname") | null;
            /** @description With ethnicity_basis=place: false where the shares of ALL OTHER NAMES stand for those of the surname. */
            surname_listed?: boolean | null;
            /** @description With tract_income=true: median household income of the tract, dollars a year. */
            tract_income_median?: number | null;
            /** @description Id of the client; returned with the result if it was sent. */
            id?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_openapi_json: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    get_health_live: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Live. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "live";
                        /** @description Of donorlens. */
                        version: string;
                    };
                };
            };
        };
    };
    get_health_ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ready";
                        /** @description Of donorlens. */
                        version: string;
                        release: string;
                        /** @description official, folder or sample. */
                        label: string;
                        checks: {
                            [key: string]: "ok";
                        };
                        /** @description Queues that have work and make no progress; /ops names the reason. Absent if there is none. */
                        stopped?: ("enrich" | "geocode")[];
                    };
                };
            };
        };
    };
    get_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Prometheus text format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    post_enrich_v1_age_gender: {
        parameters: {
            query?: {
                /** @description Adds to each result what it rests on, such as births or the matched surname, and the data release. */
                detail?: boolean;
                /** @description Counts only people who have reached this age. Donors are adults: 18 is a good value for them. */
                min_age?: number;
                /** @description Whose ages a name stands for. name: all who have it. adult: those of 18 and over, as min_age=18. donors: the donors of the cycle of the date, else of the nearest cycle; 409 without stored contributions. */
                age_basis?: "name" | "adult" | "donors";
            };
            header?: {
                /** @description respond-async: take the queries as a batch and answer 202 at once. */
                Prefer?: string;
                /** @description Yours, up to 200 characters: the same key with the same body is one batch, however often it is sent. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    queries: components["schemas"]["AgeGenderQuery"][];
                };
            };
        };
        responses: {
            /** @description One result per query, in the order of the queries; an unknown name has nulls. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: components["schemas"]["AgeGenderResult"][];
                    };
                };
            };
            /** @description Accepted as a batch. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    get_enrich_v1_age_gender_name_name_date_date: {
        parameters: {
            query?: {
                /** @description Overrides the Accept header. */
                format?: "html" | "json" | "svg" | "csv";
                /** @description Adds to each result what it rests on, such as births or the matched surname, and the data release. */
                detail?: boolean;
                /** @description Counts only people who have reached this age. Donors are adults: 18 is a good value for them. */
                min_age?: number;
                /** @description Whose ages a name stands for. name: all who have it. adult: those of 18 and over, as min_age=18. donors: the donors of the cycle of the date, else of the nearest cycle; 409 without stored contributions. */
                age_basis?: "name" | "adult" | "donors";
            };
            header?: never;
            path: {
                /** @description First name. */
                name: string;
                /** @description Reference date, yyyy-mm-dd. */
                date: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page by default. JSON is the bulk result, with detail=true the distribution by birth year. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "application/json": {
                        /** @description Median age in completed years of the living bearers of the name. */
                        age: number | null;
                        gender: ("m" | "f") | null;
                        /** @description Id of the client; returned with the result if it was sent. */
                        id?: string;
                        /** @description Share of the births of this name with this sex. */
                        gender_probability?: number | null;
                        /** @description Share of women among the living bearers of the name at the date, of at least min_age, or of adults for donors. */
                        female_share_living?: number | null;
                        /** @description Births of this name in the national records, all years. */
                        sample_size?: number;
                        age_q25?: number | null;
                        age_q75?: number | null;
                        /** @description The data release that gave the answer. */
                        data_release?: string;
                        /** @description Living bearers of the name at the date, men. */
                        living_m?: number;
                        /** @description The same, women. */
                        living_f?: number;
                        /** @description Year of the first number in each of the lists. */
                        first_birth_year?: number | null;
                        /** @description Births by year. */
                        born_m?: number[];
                        born_f?: number[];
                        /** @description Of them, living at the date. */
                        living_by_year_m?: number[];
                        living_by_year_f?: number[];
                    };
                    "image/svg+xml": string;
                    "text/csv": string;
                };
            };
        };
    };
    post_enrich_v1_ethnicity: {
        parameters: {
            query?: {
                /** @description Adds to each result what it rests on, such as births or the matched surname, and the data release. */
                detail?: boolean;
            };
            header?: {
                /** @description respond-async: take the queries as a batch and answer 202 at once. */
                Prefer?: string;
                /** @description Yours, up to 200 characters: the same key with the same body is one batch, however often it is sent. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    queries: components["schemas"]["EthnicityQuery"][];
                };
            };
        };
        responses: {
            /** @description One result per query, in the order of the queries; an unknown surname has nulls. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: components["schemas"]["EthnicityResult"][];
                    };
                };
            };
            /** @description Accepted as a batch. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    get_enrich_v1_ethnicity_surname_surname_year_year: {
        parameters: {
            query?: {
                /** @description Overrides the Accept header. */
                format?: "json" | "html" | "svg";
                /** @description Adds to each result what it rests on, such as births or the matched surname, and the data release. */
                detail?: boolean;
            };
            header?: never;
            path: {
                /** @description Surname. */
                surname: string;
                /** @description Year, yyyy. */
                year: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result, as JSON also for a browser: only `format` gives the page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EthnicityResult"];
                    "text/html": string;
                    "image/svg+xml": string;
                };
            };
        };
    };
    post_enrich_v1_contributions: {
        parameters: {
            query?: {
                /** @description Adds to each result what decided its gender and its county. A batch ignores it. */
                detail?: boolean;
                /** @description Counts only people who have reached this age. Donors are adults: 18 is a good value for them. */
                min_age?: number;
                /** @description Whose ages a name stands for. name: all who have it. adult: those of 18 and over, as min_age=18. donors: the donors of the cycle of the date, else of the nearest cycle; 409 without stored contributions. */
                age_basis?: "name" | "adult" | "donors";
                /** @description place: ethnicity and its shares follow from surname and tract, ZCTA or county (BISG). If the data release has first names by race, they follow from the first name, too. Adds the kind of area, and whether the surname is listed. Default: the setting ETHNICITY_BASIS, surname unless the operator changed it. */
                ethnicity_basis?: "surname" | "place";
                /** @description Adds the median household income of the census tract. */
                tract_income?: boolean;
            };
            header?: {
                /** @description wait=N, up to 60 seconds: waits until all addresses are geocoded; otherwise 202 with the batch. respond-async: 202 with a batch at once. Both need a key with the scope enrich:batch. */
                Prefer?: string;
                /** @description Yours, up to 200 characters: the same key with the same body is one batch, however often it is sent. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    queries: components["schemas"]["ContributionQuery"][];
                };
            };
        };
        responses: {
            /** @description One result per query, in their order. An address that is not geocoded yet is PENDING and is queued: the same query has its county later. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: components["schemas"]["ContributionResult"][];
                    };
                };
            };
            /** @description Accepted as a batch. The Location header has its URL. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    get_enrich_v1_batches: {
        parameters: {
            query?: {
                /** @description Maximum number of batches. */
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of batches; next is null on the last. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: components["schemas"]["Batch"][];
                        next: string | null;
                    };
                };
            };
        };
    };
    post_enrich_v1_batches: {
        parameters: {
            query?: {
                /** @description The kind of enrichment; contributions by default for files. */
                type?: "age_gender" | "ethnicity" | "contributions";
                /** @description itcont: the FEC file without a header, which is also detected by its first line. The other formats follow from the content type. */
                format?: "csv" | "itcont" | "ndjson";
                /** @description Name or number of the sheet of an .xlsx workbook; the first visible one by default. */
                sheet?: string;
                /** @description The column of a field, e.g. map.first_name=GIVEN; an empty value: no column, even if a header matches. Known headers need no mapping. */
                "map.{field}"?: string;
                /** @description Counts only people who have reached this age. Donors are adults: 18 is a good value for them. */
                min_age?: number;
                /** @description Whose ages a name stands for. name: all who have it. adult: those of 18 and over, as min_age=18. donors: the donors of the cycle of the date, else of the nearest cycle; 409 without stored contributions. group: the adults of the batch itself, by year if its dates span more than 4; ages are null until it has ended. */
                age_basis?: "name" | "adult" | "donors" | "group";
                /** @description place: ethnicity and its shares follow from surname and tract, ZCTA or county (BISG). If the data release has first names by race, they follow from the first name, too. Adds the kind of area, and whether the surname is listed. Default: the setting ETHNICITY_BASIS, surname unless the operator changed it. */
                ethnicity_basis?: "surname" | "place";
            };
            header?: {
                /** @description The same key and body are one batch. */
                "Idempotency-Key"?: string;
                /** @description Public https URL that receives a signed message when the batch ends; see docs/webhooks.md. In a form: the field webhook_url before the file; in JSON: the member webhook_url. */
                "Webhook-Url"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    type: "age_gender" | "ethnicity" | "contributions";
                    queries: (components["schemas"]["AgeGenderQuery"] | components["schemas"]["EthnicityQuery"] | components["schemas"]["ContributionQuery"])[];
                    min_age?: number;
                    /** @enum {string} */
                    age_basis?: "name" | "adult" | "donors" | "group";
                    /** @enum {string} */
                    ethnicity_basis?: "surname" | "place";
                    /** Format: uri */
                    webhook_url?: string;
                };
                "text/csv": string;
                "application/x-ndjson": string;
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description CSV, .xlsx or NDJSON. Fields before it are read as parameters.
                     */
                    file: string;
                };
                "application/gzip": string;
            };
        };
        responses: {
            /** @description Accepted and stored. The Location header has the URL of the batch. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    post_enrich_v1_batches_preview: {
        parameters: {
            query?: {
                /** @description The kind of enrichment; contributions by default for files. */
                type?: "age_gender" | "ethnicity" | "contributions";
                /** @description itcont: the FEC file without a header, which is also detected by its first line. The other formats follow from the content type. */
                format?: "csv" | "itcont" | "ndjson";
                /** @description Name or number of the sheet of an .xlsx workbook; the first visible one by default. */
                sheet?: string;
                /** @description The column of a field, e.g. map.first_name=GIVEN; an empty value: no column, even if a header matches. Known headers need no mapping. */
                "map.{field}"?: string;
                /** @description Counts only people who have reached this age. Donors are adults: 18 is a good value for them. */
                min_age?: number;
                /** @description Whose ages a name stands for. name: all who have it. adult: those of 18 and over, as min_age=18. donors: the donors of the cycle of the date, else of the nearest cycle; 409 without stored contributions. group: the adults of the batch itself, by year if its dates span more than 4; ages are null until it has ended. */
                age_basis?: "name" | "adult" | "donors" | "group";
                /** @description place: ethnicity and its shares follow from surname and tract, ZCTA or county (BISG). If the data release has first names by race, they follow from the first name, too. Adds the kind of area, and whether the surname is listed. Default: the setting ETHNICITY_BASIS, surname unless the operator changed it. */
                ethnicity_basis?: "surname" | "place";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    type: "age_gender" | "ethnicity" | "contributions";
                    queries: (components["schemas"]["AgeGenderQuery"] | components["schemas"]["EthnicityQuery"] | components["schemas"]["ContributionQuery"])[];
                    min_age?: number;
                    /** @enum {string} */
                    age_basis?: "name" | "adult" | "donors" | "group";
                    /** @enum {string} */
                    ethnicity_basis?: "surname" | "place";
                    /** Format: uri */
                    webhook_url?: string;
                };
                "text/csv": string;
                "application/x-ndjson": string;
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description CSV, .xlsx or NDJSON. Fields before it are read as parameters.
                     */
                    file: string;
                };
                "application/gzip": string;
            };
        };
        responses: {
            /** @description The first rows, enriched. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        format: "csv" | "json";
                        delimiter: string | null;
                        /** @description The sheet that is read, of a workbook. */
                        sheet?: string;
                        /** @description All sheets of a workbook. */
                        sheets?: string[];
                        /**
                         * @description mixed: some lines are UTF-8, the others are taken for windows-1252.
                         * @enum {string}
                         */
                        encoding: "utf-8" | "windows-1252" | "mixed" | "utf-16";
                        /** @description A file that needs no mapping: an openFEC export, or the header-less file of the FEC. */
                        recognised: ("openfec" | "itcont") | null;
                        columns: string[] | null;
                        /** @description Field to the column that it is read from. */
                        mapping: {
                            [key: string]: string;
                        };
                        /** @description Columns that are not read; the results have them unchanged. Null for JSON, whose keys are looked up item by item. */
                        unused: string[] | null;
                        /** @description What will have no answer, and what may have been read in another way than it was meant. */
                        warnings: {
                            code: string;
                            message: string;
                        }[];
                        rows: {
                            row: number;
                            source: string;
                            /** @description What was read from it, by field. */
                            read: {
                                [key: string]: string;
                            };
                            outcome: string;
                            result: {
                                [key: string]: unknown;
                            };
                        }[];
                    };
                };
            };
        };
    };
    post_enrich_v1_batches_id_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The batch's id, as in the answer to POST /enrich/v1/batches. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelling, or already ended. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    post_enrich_v1_batches_id_repeat: {
        parameters: {
            query?: {
                /** @description The kind of enrichment; contributions by default for files. */
                type?: "age_gender" | "ethnicity" | "contributions";
                /** @description The column of a field, e.g. map.first_name=GIVEN; an empty value: no column, even if a header matches. Known headers need no mapping. */
                "map.{field}"?: string;
                /** @description Counts only people who have reached this age. Donors are adults: 18 is a good value for them. */
                min_age?: number;
                /** @description Whose ages a name stands for. name: all who have it. adult: those of 18 and over, as min_age=18. donors: the donors of the cycle of the date, else of the nearest cycle; 409 without stored contributions. group: the adults of the batch itself, by year if its dates span more than 4; ages are null until it has ended. */
                age_basis?: "name" | "adult" | "donors" | "group";
                /** @description place: ethnicity and its shares follow from surname and tract, ZCTA or county (BISG). If the data release has first names by race, they follow from the first name, too. Adds the kind of area, and whether the surname is listed. Default: the setting ETHNICITY_BASIS, surname unless the operator changed it. */
                ethnicity_basis?: "surname" | "place";
            };
            header?: {
                /** @description The same key and body are one batch. */
                "Idempotency-Key"?: string;
                /** @description Public https URL that receives a signed message when the batch ends; see docs/webhooks.md. In a form: the field webhook_url before the file; in JSON: the member webhook_url. */
                "Webhook-Url"?: string;
            };
            path: {
                /** @description The batch's id, as in the answer to POST /enrich/v1/batches. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted and stored. The Location header has the URL of the batch. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
        };
    };
    get_enrich_v1_batches_id: {
        parameters: {
            query?: {
                /** @description Overrides the Accept header. */
                format?: "json" | "html" | "sse";
            };
            header?: never;
            path: {
                /** @description The batch's id, as in the answer to POST /enrich/v1/batches. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description State, counts, both stages, outcomes of addresses, rate and estimated end. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                    "text/html": string;
                    "text/event-stream": string;
                };
            };
        };
    };
    delete_enrich_v1_batches_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The batch's id, as in the answer to POST /enrich/v1/batches. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erased. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_enrich_v1_batches_id_results: {
        parameters: {
            query?: {
                /** @description Overrides the Accept header. */
                format?: "csv" | "ndjson" | "json" | "parquet" | "xlsx";
                /** @description Leaves out the ' before text that a spreadsheet would run as a formula. */
                raw?: boolean;
                /** @description Begins CSV with a byte order mark, so that Excel reads it as UTF-8. */
                bom?: boolean;
                /** @description Returns the finished rows of a batch that has not finished; addresses that are not geocoded yet are PENDING. */
                partial?: boolean;
                /** @description Adds how sure the estimates are and what they rest on: of AGE_Q25, AGE_Q75, GENDER_PROB, FEMALE_SHARE_LIVING, FIRST_NAME_KEY, SURNAME_KEY, NAME_KIND, AGE_BASIS, ETHNICITY_BASIS those that the kind of batch has; in JSON in lower case. */
                detail?: boolean;
                /** @description Adds the median household income of the census tract. */
                tract_income?: boolean;
            };
            header?: never;
            path: {
                /** @description The batch's id, as in the answer to POST /enrich/v1/batches. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Rows in the order of the input, streamed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "application/json": unknown;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
        };
    };
    get_enrich_v1_batches_id_errors: {
        parameters: {
            query?: {
                /** @description Overrides the Accept header. */
                format?: "csv" | "ndjson" | "json" | "parquet" | "xlsx";
                /** @description Leaves out the ' before text that a spreadsheet would run as a formula. */
                raw?: boolean;
                /** @description Begins CSV with a byte order mark, so that Excel reads it as UTF-8. */
                bom?: boolean;
                /** @description Returns the finished rows of a batch that has not finished; addresses that are not geocoded yet are PENDING. */
                partial?: boolean;
            };
            header?: never;
            path: {
                /** @description The batch's id, as in the answer to POST /enrich/v1/batches. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Rows in the order of the input, streamed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "application/json": unknown;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
        };
    };
    get_enrich_v1_batches_id_summary: {
        parameters: {
            query?: {
                /** @description Overrides the Accept header. */
                format?: "csv" | "json";
            };
            header?: never;
            path: {
                /** @description The batch's id, as in the answer to POST /enrich/v1/batches. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Expected numbers of people with two decimals. Pending addresses are not in it yet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        rows: number;
                        first_names_known: number;
                        surnames_known: number;
                        /** @description Ages of the adults in the batch, estimated from all first names together; low and high are a 95% interval. */
                        ages: {
                            /** @constant */
                            basis: "group";
                            median: number | null;
                            median_low: number | null;
                            median_high: number | null;
                            distribution: {
                                age: number;
                                /** @description Expected number, two decimals. */
                                people: number;
                            }[];
                        };
                        sex: {
                            value: string;
                            /** @description Expected number, two decimals. */
                            people: number;
                        }[];
                        /** @description Sums of the published shares of the surnames. */
                        ethnicity: {
                            value: string;
                            /** @description Expected number, two decimals. */
                            people: number;
                        }[];
                        states: {
                            value: string;
                            rows: number;
                        }[];
                        /** @description The 20 with most rows. */
                        counties: {
                            fips: string;
                            county: string;
                            state: string;
                            rows: number;
                        }[];
                        /** @description Over rows: HH_INCOME_MEDIAN. */
                        income: {
                            q25: number | null;
                            median: number | null;
                            q75: number | null;
                        };
                        /** @description Rows with a value, and their share of all rows, by added column. */
                        filled: {
                            column: string;
                            rows: number;
                            fill_rate: number;
                        }[];
                        data_release: string;
                    };
                    "text/csv": string;
                };
            };
        };
    };
    get_enrich_v1_webhook_secret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The same for as long as the key exists. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        secret: string;
                    };
                };
            };
        };
    };
    get_data_charts_v1_age_distribution_committee: {
        parameters: {
            query?: {
                /** @description Ids: C and eight digits. Repeat it for several. */
                committee_id?: string[];
                /** @description Election cycles, each by the even year that ends it: 2020 is 2019 and 2020. Without one: all cycles. */
                cycle?: number[];
                /** @description Offices of the candidates: P President, S Senate, H House; repeat it for several. Without one: P. */
                office?: ("P" | "S" | "H")[];
                /** @description adult: ages of people aged 18 or older. Default: people of all ages. donors: the ages of the committee as a whole, estimated from all first names together; DONORS are expected numbers, and there is no money by age. */
                basis?: "all" | "adult" | "donors";
                /** @description Overrides the Accept header. */
                format?: "csv" | "json" | "html" | "svg" | "parquet" | "xlsx";
                /** @description Leaves out the ' before text that a spreadsheet would run as a formula. */
                raw?: boolean;
                /** @description Begins CSV with a byte order mark, so that Excel reads it as UTF-8. */
                bom?: boolean;
                /** @description Name of the downloaded file without its extension. Without it: results. */
                filename?: string;
            };
            header?: {
                /** @description ETag of the answer you have. */
                "If-None-Match"?: string;
                /** @description Last-Modified of the answer you have. */
                "If-Modified-Since"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description results.csv: CYCLE,CMTE_ID,AGE,DONORS,CONTRIBUTIONS,AMOUNT. The header line alone where nothing matches. As a page or a picture: the chart. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "application/json": {
                        results: {
                            /** @description election cycle: two years, named for the even one that ends it */
                            cycle: number | null;
                            /** @description committee */
                            cmte_id: string;
                            /** @description donor's estimated age at the first counted contribution to the committee in the cycle */
                            age: number | null;
                            /** @description different donors */
                            donors: number | null;
                            /** @description contributions of the group that add money */
                            contributions: number | null;
                            /** @description money of the group, less refunds; what no donor gave (of organizations, without a name) is in the unknown row */
                            amount: number | null;
                        }[];
                    };
                    "text/html": string;
                    "image/svg+xml": string;
                };
            };
            /** @description Not modified: the client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_data_charts_v1_cumulative_donors_candidate: {
        parameters: {
            query?: {
                /** @description Ids: P and eight digits (President), or like S0NY00123 (Senate, office=S) or H0NY12345 (House, office=H). Repeat it for several. */
                candidate_id?: string[];
                /** @description Election cycles, each by the even year that ends it: 2020 is 2019 and 2020. Without one: all cycles. */
                cycle?: number[];
                /** @description Offices of the candidates: P President, S Senate, H House; repeat it for several. Without one: P. */
                office?: ("P" | "S" | "H")[];
                /** @description Overrides the Accept header. */
                format?: "csv" | "json" | "html" | "svg" | "parquet" | "xlsx";
                /** @description Leaves out the ' before text that a spreadsheet would run as a formula. */
                raw?: boolean;
                /** @description Begins CSV with a byte order mark, so that Excel reads it as UTF-8. */
                bom?: boolean;
                /** @description Name of the downloaded file without its extension. Without it: results. */
                filename?: string;
            };
            header?: {
                /** @description ETag of the answer you have. */
                "If-None-Match"?: string;
                /** @description Last-Modified of the answer you have. */
                "If-Modified-Since"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description results.csv: CYCLE,CAND_ID,REF_DATE,CUMUL_DONORS. The header line alone where nothing matches. As a page or a picture: the chart. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "application/json": {
                        results: {
                            /** @description election cycle: two years, named for the even one that ends it */
                            cycle: number | null;
                            /** @description candidate */
                            cand_id: string;
                            /** @description every day from the first of the cycle to its newest contribution */
                            ref_date: string;
                            /** @description unique donors up to and including that day */
                            cumul_donors: number | null;
                        }[];
                    };
                    "text/html": string;
                    "image/svg+xml": string;
                };
            };
            /** @description Not modified: the client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_data_charts_v1_breakdown_candidate: {
        parameters: {
            query?: {
                /** @description Ids: P and eight digits (President), or like S0NY00123 (Senate, office=S) or H0NY12345 (House, office=H). Repeat it for several. */
                candidate_id?: string[];
                /** @description Election cycles, each by the even year that ends it: 2020 is 2019 and 2020. Without one: all cycles. */
                cycle?: number[];
                /** @description Offices of the candidates: P President, S Senate, H House; repeat it for several. Without one: P. */
                office?: ("P" | "S" | "H")[];
                /** @description What to tell donors apart by; repeat it for several. Without one: all but occupation and employer. */
                by?: ("age" | "ethnicity" | "gender" | "income" | "state" | "occupation" | "employer")[];
                /** @description adult: ages of people aged 18 or older. Default: people of all ages. */
                basis?: "all" | "adult";
                /** @description Ethnicity as expected numbers of donors, without money: sums of the shares of their surnames, or of surname and place (BISG). By place, the first name counts, too, if the data release has first names by race. Needs candidate_id. Without it donors are counted by the most frequent group of their surname. */
                ethnicity_basis?: "surname" | "place";
                /** @description Overrides the Accept header. */
                format?: "csv" | "json" | "parquet" | "xlsx";
                /** @description Leaves out the ' before text that a spreadsheet would run as a formula. */
                raw?: boolean;
                /** @description Begins CSV with a byte order mark, so that Excel reads it as UTF-8. */
                bom?: boolean;
                /** @description Name of the downloaded file without its extension. Without it: results. */
                filename?: string;
            };
            header?: {
                /** @description ETag of the answer you have. */
                "If-None-Match"?: string;
                /** @description Last-Modified of the answer you have. */
                "If-Modified-Since"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description results.csv: CYCLE,CAND_ID,BY,VALUE,DONORS,CONTRIBUTIONS,AMOUNT. The header line alone where nothing matches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "application/json": {
                        results: {
                            /** @description election cycle: two years, named for the even one that ends it */
                            cycle: number | null;
                            /** @description candidate */
                            cand_id: string;
                            /** @description property by which the donors are grouped */
                            by: string;
                            /** @description the group */
                            value: string;
                            /** @description different donors */
                            donors: number | null;
                            /** @description contributions of the group that add money */
                            contributions: number | null;
                            /** @description money of the group, less refunds; what no donor gave (of organizations, without a name) is in the unknown row */
                            amount: number | null;
                        }[];
                    };
                };
            };
            /** @description Not modified: the client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_data_charts_v1_donor_size_candidate: {
        parameters: {
            query?: {
                /** @description Ids: P and eight digits (President), or like S0NY00123 (Senate, office=S) or H0NY12345 (House, office=H). Repeat it for several. */
                candidate_id?: string[];
                /** @description Election cycles, each by the even year that ends it: 2020 is 2019 and 2020. Without one: all cycles. */
                cycle?: number[];
                /** @description Offices of the candidates: P President, S Senate, H House; repeat it for several. Without one: P. */
                office?: ("P" | "S" | "H")[];
                /** @description Overrides the Accept header. */
                format?: "csv" | "json" | "parquet" | "xlsx";
                /** @description Leaves out the ' before text that a spreadsheet would run as a formula. */
                raw?: boolean;
                /** @description Begins CSV with a byte order mark, so that Excel reads it as UTF-8. */
                bom?: boolean;
                /** @description Name of the downloaded file without its extension. Without it: results. */
                filename?: string;
            };
            header?: {
                /** @description ETag of the answer you have. */
                "If-None-Match"?: string;
                /** @description Last-Modified of the answer you have. */
                "If-Modified-Since"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description results.csv: CYCLE,CAND_ID,BAND,DONORS,CONTRIBUTIONS,AMOUNT. The header line alone where nothing matches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "application/json": {
                        results: {
                            /** @description election cycle: two years, named for the even one that ends it */
                            cycle: number | null;
                            /** @description candidate */
                            cand_id: string;
                            /** @description what one donor gave the candidate in the cycle, less refunds: three gifts of 80.00 are in 200-499; gifts to joint committees add 0 */
                            band: string;
                            /** @description different donors */
                            donors: number | null;
                            /** @description contributions of the group that add money */
                            contributions: number | null;
                            /** @description money of the group, less refunds; what no donor gave (of organizations, without a name) is in the unknown row */
                            amount: number | null;
                        }[];
                    };
                };
            };
            /** @description Not modified: the client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_data_charts_v1_retention_candidate: {
        parameters: {
            query?: {
                /** @description Ids: P and eight digits (President), or like S0NY00123 (Senate, office=S) or H0NY12345 (House, office=H). Repeat it for several. */
                candidate_id?: string[];
                /** @description Parties by their FEC codes, such as DEM: all presidential candidates of each together, instead of single candidates. */
                party?: string[];
                /** @description Election cycles, each by the even year that ends it: 2020 is 2019 and 2020. Without one: all cycles. */
                cycle?: number[];
                /** @description Offices of the candidates: P President, S Senate, H House; repeat it for several. Without one: P. */
                office?: ("P" | "S" | "H")[];
                /** @description Overrides the Accept header. */
                format?: "csv" | "json" | "parquet" | "xlsx";
                /** @description Leaves out the ' before text that a spreadsheet would run as a formula. */
                raw?: boolean;
                /** @description Begins CSV with a byte order mark, so that Excel reads it as UTF-8. */
                bom?: boolean;
                /** @description Name of the downloaded file without its extension. Without it: results. */
                filename?: string;
            };
            header?: {
                /** @description ETag of the answer you have. */
                "If-None-Match"?: string;
                /** @description Last-Modified of the answer you have. */
                "If-Modified-Since"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description results.csv: CYCLE,CAND_ID,DONORS,NEW,RETURNING,LAPSED,RETENTION. The header line alone where nothing matches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "application/json": {
                        results: {
                            /** @description election cycle: two years, named for the even one that ends it */
                            cycle: number | null;
                            /** @description candidate */
                            cand_id: string;
                            /** @description different donors */
                            donors: number | null;
                            /** @description those who gave in no earlier cycle */
                            new: number | null;
                            /** @description those who also gave to the candidate (or party) in an earlier cycle, such as 2016 for 2020 */
                            returning: number | null;
                            /** @description those who did not give in the next cycle */
                            lapsed: number | null;
                            /** @description share of donors who also gave in the next cycle: 25 of 100 donors are 25 */
                            retention: number | null;
                        }[];
                    };
                };
            };
            /** @description Not modified: the client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_data_charts_v1_overlap_candidate: {
        parameters: {
            query?: {
                /** @description Ids: P and eight digits (President), or like S0NY00123 (Senate, office=S) or H0NY12345 (House, office=H). Repeat it for several. */
                candidate_id?: string[];
                /** @description Election cycles, each by the even year that ends it: 2020 is 2019 and 2020. Without one: all cycles. */
                cycle?: number[];
                /** @description Offices of the candidates: P President, S Senate, H House; repeat it for several. Without one: P. */
                office?: ("P" | "S" | "H")[];
                /** @description Overrides the Accept header. */
                format?: "csv" | "json" | "parquet" | "xlsx";
                /** @description Leaves out the ' before text that a spreadsheet would run as a formula. */
                raw?: boolean;
                /** @description Begins CSV with a byte order mark, so that Excel reads it as UTF-8. */
                bom?: boolean;
                /** @description Name of the downloaded file without its extension. Without it: results. */
                filename?: string;
            };
            header?: {
                /** @description ETag of the answer you have. */
                "If-None-Match"?: string;
                /** @description Last-Modified of the answer you have. */
                "If-Modified-Since"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description results.csv: CYCLE,CAND_ID,OTHER_CAND_ID,SHARED_DONORS,SHARE_OF_DONORS,LIFT. The header line alone where nothing matches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "application/json": {
                        results: {
                            /** @description election cycle: two years, named for the even one that ends it */
                            cycle: number | null;
                            /** @description candidate */
                            cand_id: string;
                            /** @description another candidate for the office */
                            other_cand_id: string;
                            /** @description donors who gave to both in the cycle */
                            shared_donors: number | null;
                            /** @description share of the donors of CAND_ID who gave to the other: 50 of 200 donors are 25 */
                            share_of_donors: number | null;
                            /** @description shared donors by those expected if donors for the office chose independently: 2 is twice as many */
                            lift: number | null;
                        }[];
                    };
                };
            };
            /** @description Not modified: the client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_data_charts_v1_candidate_search: {
        parameters: {
            query?: {
                /** @description Parts of candidate names, in any case, with or without accents. % and _ are just characters. */
                name_part?: string[];
                /** @description Election cycles, each by the even year that ends it: 2020 is 2019 and 2020. Without one: all cycles. */
                cycle?: number[];
                /** @description Offices of the candidates: P President, S Senate, H House; repeat it for several. Without one: P. */
                office?: ("P" | "S" | "H")[];
                /** @description Overrides the Accept header. */
                format?: "csv" | "json" | "parquet" | "xlsx";
                /** @description Leaves out the ' before text that a spreadsheet would run as a formula. */
                raw?: boolean;
                /** @description Begins CSV with a byte order mark, so that Excel reads it as UTF-8. */
                bom?: boolean;
                /** @description Name of the downloaded file without its extension. Without it: results. */
                filename?: string;
            };
            header?: {
                /** @description ETag of the answer you have. */
                "If-None-Match"?: string;
                /** @description Last-Modified of the answer you have. */
                "If-Modified-Since"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description results.csv: CYCLE,CAND_ID,CAND_NAME,CAND_PTY_AFFILIATION,CAND_ELECTION_YR,CAND_OFFICE_ST,CAND_OFFICE,CAND_OFFICE_DISTRICT,CAND_ICI,CAND_STATUS,CAND_PCC,CAND_ST1,CAND_ST2,CAND_CITY,CAND_ST,CAND_ZIP. The header line alone where nothing matches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "application/json": {
                        results: {
                            /** @description election cycle: two years, named for the even one that ends it */
                            cycle: number | null;
                            /** @description candidate */
                            cand_id: string;
                            /** @description name of the candidate */
                            cand_name: string;
                            /** @description party of the candidate */
                            cand_pty_affiliation: string;
                            /** @description year of the election the candidate runs in */
                            cand_election_yr: string;
                            /** @description state of the office */
                            cand_office_st: string;
                            /** @description office */
                            cand_office: string;
                            /** @description district of the office */
                            cand_office_district: string;
                            /** @description standing */
                            cand_ici: string;
                            /** @description status */
                            cand_status: string;
                            /** @description principal campaign committee */
                            cand_pcc: string;
                            /** @description street of the mailing address */
                            cand_st1: string;
                            /** @description second line of the street */
                            cand_st2: string;
                            /** @description city of the mailing address */
                            cand_city: string;
                            /** @description state of the mailing address */
                            cand_st: string;
                            /** @description ZIP of the mailing address */
                            cand_zip: string;
                        }[];
                    };
                };
            };
            /** @description Not modified: the client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_data_charts_v1_committee_candidate_search: {
        parameters: {
            query?: {
                /** @description Parts of candidate names, in any case, with or without accents. % and _ are just characters. */
                name_part?: string[];
                /** @description Election cycles, each by the even year that ends it: 2020 is 2019 and 2020. Without one: all cycles. */
                cycle?: number[];
                /** @description Offices of the candidates: P President, S Senate, H House; repeat it for several. Without one: P. */
                office?: ("P" | "S" | "H")[];
                /** @description Overrides the Accept header. */
                format?: "csv" | "json" | "parquet" | "xlsx";
                /** @description Leaves out the ' before text that a spreadsheet would run as a formula. */
                raw?: boolean;
                /** @description Begins CSV with a byte order mark, so that Excel reads it as UTF-8. */
                bom?: boolean;
                /** @description Name of the downloaded file without its extension. Without it: results. */
                filename?: string;
            };
            header?: {
                /** @description ETag of the answer you have. */
                "If-None-Match"?: string;
                /** @description Last-Modified of the answer you have. */
                "If-Modified-Since"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description results.csv: CYCLE,CAND_ID,CAND_NAME,CAND_PTY_AFFILIATION,CAND_ELECTION_YR,LINKAGE_DSGN,LINKAGE_TP,CMTE_ID,CMTE_NM,TRES_NM,CMTE_ST1,CMTE_ST2,CMTE_CITY,CMTE_ST,CMTE_ZIP,CMTE_DSGN,CMTE_TP,CMTE_PTY_AFFILIATION,CMTE_FILING_FREQ,ORG_TP,CONNECTED_ORG_NM. The header line alone where nothing matches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "application/json": {
                        results: {
                            /** @description election cycle: two years, named for the even one that ends it */
                            cycle: number | null;
                            /** @description candidate */
                            cand_id: string;
                            /** @description name of the candidate */
                            cand_name: string;
                            /** @description party of the candidate */
                            cand_pty_affiliation: string;
                            /** @description year of the election the candidate runs in */
                            cand_election_yr: string;
                            /** @description what the committee is to this candidate */
                            linkage_dsgn: string;
                            /** @description type of the committee */
                            linkage_tp: string;
                            /** @description committee */
                            cmte_id: string;
                            /** @description name of the committee */
                            cmte_nm: string;
                            /** @description name of the treasurer */
                            tres_nm: string;
                            /** @description street */
                            cmte_st1: string;
                            /** @description second line of the street */
                            cmte_st2: string;
                            /** @description city */
                            cmte_city: string;
                            /** @description state */
                            cmte_st: string;
                            /** @description ZIP */
                            cmte_zip: string;
                            /** @description designation in the committee master */
                            cmte_dsgn: string;
                            /** @description type */
                            cmte_tp: string;
                            /** @description party */
                            cmte_pty_affiliation: string;
                            /** @description how often it files */
                            cmte_filing_freq: string;
                            /** @description kind of organization behind it */
                            org_tp: string;
                            /** @description name of that organization */
                            connected_org_nm: string;
                        }[];
                    };
                };
            };
            /** @description Not modified: the client has the current version. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_data_charts_v1_contributions_search: {
        parameters: {
            query?: {
                /** @description Ids: P and eight digits (President), or like S0NY00123 (Senate, office=S) or H0NY12345 (House, office=H). Repeat it for several. */
                candidate_id?: string[];
                /** @description Ids: C and eight digits. Repeat it for several. */
                committee_id?: string[];
                /** @description Election cycles, each by the even year that ends it: 2020 is 2019 and 2020. Without one: all cycles. */
                cycle?: number[];
                /** @description Offices of the candidates: P President, S Senate, H House; repeat it for several. Without one: P. */
                office?: ("P" | "S" | "H")[];
                /** @description First day, yyyy-mm-dd. Rows without a valid date are in no range. */
                date_from?: string;
                /** @description Last day, yyyy-mm-dd. */
                date_to?: string;
                /** @description Maximum number of contributions. One to several selected candidates has a row for each. */
                limit?: number;
                /** @description Continue after this row: its SUB_ID, or CMTE_ID:FILE_NUM:TRAN_ID if it has none. */
                after?: string;
                /** @description Overrides the Accept header. */
                format?: "csv" | "parquet" | "xlsx";
                /** @description Leaves out the ' before text that a spreadsheet would run as a formula. */
                raw?: boolean;
                /** @description Begins CSV with a byte order mark, so that Excel reads it as UTF-8. */
                bom?: boolean;
                /** @description Adds the source of the county (FIPS_SOURCE: address, zip), of a county by ZIP its share of people (FIPS_SHARE), DONOR_ID, and of rows that follow the active data release AGE_Q25, AGE_Q75, GENDER_PROB, FEMALE_SHARE_LIVING, FIRST_NAME_KEY, SURNAME_KEY, NAME_KIND, AGE_BASIS, ETHNICITY_BASIS. */
                detail?: boolean;
                /** @description place: ethnicity and its shares follow from surname and tract, ZCTA or county (BISG). If the data release has first names by race, they follow from the first name, too. Adds the kind of area, and whether the surname is listed. Default: the setting ETHNICITY_BASIS, surname unless the operator changed it. */
                ethnicity_basis?: "surname" | "place";
                /** @description Adds the median household income of the census tract. */
                tract_income?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description results.csv: CYCLE,CAND_ID,CMTE_ID,AMNDT_IND,RPT_TP,TRANSACTION_PGI,IMAGE_NUM,TRANSACTION_TP,ENTITY_TP,NAME,CITY,STATE,ZIP_CODE,EMPLOYER,OCCUPATION,TRANSACTION_DT,TRANSACTION_AMT,OTHER_ID,TRAN_ID,FILE_NUM,MEMO_CD,MEMO_TEXT,SUB_ID,AGE,GENDER,ETHNICITY,PCT_WHITE,PCT_BLACK,PCT_API,PCT_AIAN,PCT_2PRACE,PCT_HISPANIC,FIPS,COUNTY,TRACT_CD,BLOCK_CD,HH_INCOME_MEDIAN,ADDRESS_ID,GEOCODE_STATUS,COUNTS_MONEY,COUNTS_DONOR,COUNT_REASON,DATA_RELEASE. Resume an interrupted download with after=. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/vnd.apache.parquet": string;
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                };
            };
        };
    };
    get_data_charts_v1_about: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page for people. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    get_ops: {
        parameters: {
            query?: {
                /** @description html (default) or json. */
                format?: "html" | "json";
                /** @description ID of an operator request whose state the page shows. */
                asked?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state; while the database is unavailable, the last known state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description Time at which the status was read.
                         */
                        at: string;
                        /** @description Since when the database has not answered; the other values are then the last known ones. */
                        database_away_since: string | null;
                        /** @description Since when the database has been too slow to read the state; the other values are then the last known ones. */
                        database_slow_since: string | null;
                        queues: ({
                            /** @enum {string} */
                            queue: "enrich" | "geocode";
                            paused_at: string | null;
                            paused_by: string | null;
                            waiting: number;
                            waiting_rows: number;
                            in_work: number;
                            parked: number;
                            oldest_waiting_at: string | null;
                            per_minute: {
                                [key: string]: number;
                            };
                            failed_last_hour: number;
                            workers: number;
                            /** @description Reason why the queue is stalled; null if it is not. */
                            standstill: string | null;
                        } & {
                            [key: string]: unknown;
                        })[];
                        processes: ({
                            /** @description Clock of Postgres less that of the process; null: not known yet. */
                            clock_difference_seconds: number | null;
                        } & {
                            [key: string]: unknown;
                        })[];
                        /** @description Expiry of the oldest batch that is not erased yet. */
                        oldest_expired_at: string | null;
                        leader: ({
                            holder: string;
                            epoch: string;
                        } & {
                            [key: string]: unknown;
                        }) | null;
                        /** @description Batches whose counters differ from their chunks, compared once a minute; null: not known yet. */
                        violations: number | null;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
}
