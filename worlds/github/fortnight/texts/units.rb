# frozen_string_literal: true

module Fortnight
  # How long each unit is.
  module Units
    SECONDS = {
      second: 1,
      minute: 60,
      hour: 3600,
      day: 86_400,
      week: 604_800,
      month: 2_592_000,
      year: 31_536_000,
    }.freeze
  end
end
