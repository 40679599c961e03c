export interface Reading {
  at: string;
  moisture: number;
}

%% 2
const TIMEOUT_MS = {{web_timeout}};

%% 1-1
export async function readings(zone: string): Promise<Reading[]> {
  const answer = await fetch(`/api/zones/${zone}/readings`);
  return answer.json();
}
%% 2
export async function readings(zone: string, days = 7): Promise<Reading[]> {
  const url = `/api/zones/${encodeURIComponent(zone)}/readings?days=${days}`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) {
    throw new Error(`zone ${zone}: ${answer.status}`);
  }
  return answer.json();
}
