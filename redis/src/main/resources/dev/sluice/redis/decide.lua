-- One decision, on one limit or on several, all or nothing.
--
-- KEYS   one for each limit; all of one hash tag
-- ARGV   verb      take: charge the permits if all limits admit them; peek: say what take would
--        cost      permits asked for
--        maxDelay  longest delay of a queue that is acceptable, in microseconds; -1 for any
--        then for each limit its capacity, its reserve (permits kept for requests of a higher class) and the numbers of
--        its algorithm
-- Reply  { 1, limit, remaining, resetAfter, delay, takenAt } allowed; limit is that of the tightest, counted from 1
--        { 0, limit, remaining, resetAfter, retryAfter }     denied
--        { 2, limit, remaining, resetAfter }                 denied: more than can ever be granted
--        { 3, now }                                          the span of a calendar window is over
--        all times in microseconds, -1 for never
--
-- Atomic because a script is: no other command runs in between.
--
-- What stands between @each and @end is there once for each limit, with names that end in _ of its own; @look and the
-- like stand for those parts of its algorithm's file.

local cost, maxDelay = ARGV[2] + 0, ARGV[3] + 0
local fits, admitted, latest, departsAt = true, true, now, now

--@each
local key_, capacity_, reserve_ = KEYS[i_], ARGV[capacity_at] + 0, ARGV[reserve_at] + 0
local need_ = cost + reserve_
--@look
fits = fits and need_ <= capacity_
local used_, freshAt_, readyAt_ = 0, ANCIENT, now
--@end

local tightest, least, lastFresh = 1, NEVER, ANCIENT

if fits and (admitted or cost == 0) and (maxDelay < 0 or departsAt - now <= maxDelay) then
  if cost > 0 then
    --@each
    --@charge
    --@end
  end
  --@each
  --@used
  --@fresh
  local remaining_ = max(0, capacity_ - reserve_ - used_)
  if remaining_ < least then tightest, least = i_, remaining_ end
  if freshAt_ > lastFresh then lastFresh = freshAt_ end
  --@end
  if cost > 0 and ARGV[1] == 'take' then
    --@each
    --@write
    --@end
  end
  local resetAfter = -1
  if lastFresh < NEVER then resetAfter = max(0, lastFresh - now) end
  return { 1, tightest, least, resetAfter, departsAt - now, latest }
end

local lastReady = ANCIENT
--@each
--@used
--@fresh
if need_ > capacity_ then
  readyAt_ = NEVER
elseif used_ + need_ > capacity_ then
  --@ready
end
if readyAt_ > lastReady then tightest, lastReady = i_, readyAt_ end
least = min(least, capacity_ - reserve_ - used_)
lastFresh = max(lastFresh, freshAt_)
--@end
if maxDelay >= 0 then lastReady = max(lastReady, departsAt - maxDelay) end
local resetAfter, retryAfter = -1, -1
if lastFresh < NEVER then resetAfter = max(0, lastFresh - now) end
if lastReady < NEVER then retryAfter = max(0, lastReady - now) end
if not fits then return { 2, tightest, max(0, least), resetAfter } end
return { 0, tightest, max(0, least), resetAfter, retryAfter }
