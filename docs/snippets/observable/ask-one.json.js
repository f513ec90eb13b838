// Data loader: age and gender of one first name on a date.
// DONORLENS_URL and DONORLENS_KEY are set in the environment of the build; the key never reaches a browser.
const { DONORLENS_URL, DONORLENS_KEY } = process.env;

const answer = await fetch(`${DONORLENS_URL}/enrich/v1/age_gender/name/Thomas/date/2017-07-01?format=json`, {
  headers: { 'x-api-key': DONORLENS_KEY },
});
if (!answer.ok) throw new Error(await answer.text());

process.stdout.write(await answer.text());
