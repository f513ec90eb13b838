/* Bull-board's page: whatever it asks for carries the session's token. Runs before bull-board's own scripts. */
const csrf = document.querySelector('meta[name=csrf]').content;
const open = XMLHttpRequest.prototype.open;
XMLHttpRequest.prototype.open = function (...request) {
  open.apply(this, request);
  if (csrf && new URL(request[1], document.baseURI).origin === location.origin)
    this.setRequestHeader('x-csrf-token', csrf);
};
