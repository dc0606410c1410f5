// Figures as a person would write them.

// "$18.77", "$0.0042", "$1,204"
export function dollars(usd) {
  if (usd === null || usd === undefined || Number.isNaN(usd)) return '–';
  const size = Math.abs(usd);
  const digits = size >= 1000 ? 0 : size >= 0.1 || size === 0 ? 2 : size >= 0.001 ? 4 : 6;
  return (usd < 0 ? '-$' : '$') + size.toLocaleString('en-US',
    {minimumFractionDigits: digits, maximumFractionDigits: digits});
}

// "42 s", "12 min", "3 h 20 min", "2 d 4 h"
export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return '–';
  const s = Math.max(0, seconds);
  if (s < 10) return trimmed(s, 1) + ' s';
  if (s < 100) return Math.round(s) + ' s';
  const minutes = Math.round(s / 60);
  if (minutes < 100) return minutes + ' min';
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return hours + ' h' + (minutes % 60 ? ' ' + (minutes % 60) + ' min' : '');
  const rounded = Math.round(s / 3600);
  return Math.floor(rounded / 24) + ' d' + (rounded % 24 ? ' ' + (rounded % 24) + ' h' : '');
}

// Three digits that matter, at most, and no more than needed.
export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString('en-US');
  return trimmed(value, size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.01 ? 4 : 6);
}

function trimmed(value, digits) {
  return String(Number(value.toFixed(digits)));
}

// "95 %", "3.2 %", "0.04 %"
export function percent(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return '–';
  const value = 100 * share;
  return trimmed(value, Math.abs(value) >= 10 ? 0 : Math.abs(value) >= 1 ? 1 : 2) + ' %';
}

// "+3.5 %"
export function difference(from, to) {
  if (!from || to === null || to === undefined) return '';
  const percent = 100 * (to / from - 1);
  return (percent >= 0 ? '+' : '−') + Math.abs(percent).toFixed(1) + ' %';
}

// "14:03:22", with the date where it is not today's
export function clock(ms) {
  const date = new Date(ms);
  const time = date.toLocaleTimeString('en-GB');
  return date.toDateString() === new Date().toDateString()
    ? time : date.toLocaleDateString('en-GB', {day: 'numeric', month: 'short'}) + ' ' + time;
}

export function count(n, one, many) {
  return n.toLocaleString('en-US') + ' ' + (n === 1 ? one : many || one + 's');
}
