-- Time as the caller says it, and keys that are kept for good: so that a test can be the clock.

local now = unpack('>d', ARGV[2])

--@keep
call('SET', key_, state_)

--@keepOn
